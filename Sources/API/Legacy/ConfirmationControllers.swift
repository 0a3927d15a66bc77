internal import Domain
internal import JSON
internal import Operations

/// Stores receipts and reads. A valid pushkey of the message proves a confirmation. Without one (older SDKs send none),
/// it needs the AUTHKEY. If the key was issued for this PSID, the confirmation counts for all devices of the app that
/// have or had the PSID; otherwise only for the key's own device, and it is refused if the key has none. A confirmation
/// without a pushkey counts only for a message that was sent to the device, or is in its user's inbox. Where keys are
/// switched off, apps with identity mode `open` need no proof.
extension LegacyHandler {
  func receive(_ call: LegacyCall) throws(LegacyRefusal) {
    try Self.check(call.form, statusKind: "2")
    try confirm(call, read: nil)
  }

  func read(_ call: LegacyCall) throws(LegacyRefusal) {
    try Self.check(call.form, statusKind: "3")
    try confirm(call, read: try Self.badgeOption(call.form))
  }

  private static func check(_ form: Form, statusKind expected: String) throws(LegacyRefusal) {
    guard let kind = form["STATUS_KIND"], kind != expected else { return }
    throw LegacyRefusal(field: "STATUS_KIND", "must be \(expected) here")
  }

  /// Parses BADGENO: -1 or no value decrements the badge count (`.keep`), 0 resets it, and a greater value, up to 1000,
  /// sets it. Any other value is refused.
  private static func badgeOption(_ form: Form) throws(LegacyRefusal) -> BadgeOption {
    let range = Int64(-1)...Int64(Domain.Limits.badgeValue.upperBound)
    switch try form.number("BADGENO", in: range) ?? -1 {
    case -1: return .keep
    case 0: return .reset
    case let badge: return .update(Int16(badge))
    }
  }

  private func confirm(_ call: LegacyCall, read: BadgeOption?) throws(LegacyRefusal) {
    let seqno = try call.form.seqno("SEQNO")
    let psid = try call.form.required("PSID", upTo: Domain.Limits.psidBytes)
    let token = PushNetwork.apns.normalize(psid: psid) ?? psid
    if let pushkey = call.form["PUSHKEY"],
      let proof = keys.pushkeys.proof(pushkey, seqno: String(seqno), psid: token)
    {
      return confirm(
        call,
        Operation.Confirmation(seqno: seqno, psid: token, read: read, isGenuine: true, place: proof.coordinates))
    }
    try withApp(call) { [self] app throws(LegacyRefusal) in
      let proof = try proof(call.form, app: app)
      // A key that was requested with this PSID is valid for its present and former owners.
      let isOwn = proof?.covers(psid: token) ?? true
      guard isOwn || proof?.claim != nil else { throw Self.foreignKey }
      // A key that anyone who knows the PSID can get allows reporting a read, but not setting the user's count. A
      // device's own key allows that for this device, whatever PSID the caller has named.
      let isTokenOnly = app.identity != .open && proof?.claim?.isTokenOnly != false
      let reach = Operation.Reach(
        app: app.number, device: isOwn ? nil : proof?.claim?.device,
        setter: app.identity == .open ? nil : proof?.claim)
      confirm(
        call,
        Operation.Confirmation(
          seqno: seqno, psid: token, read: read.map { isTokenOnly ? .keep : $0 }, isGenuine: true, reach: reach))
    }
  }

  private func confirm(_ call: LegacyCall, _ confirmation: Operation.Confirmation) {
    perform(.confirm([confirmation]), call) { answer in
      guard case .confirmed(let results) = answer, let result = results.first else { return }
      switch result.status {
      case .recorded:
        guard let badge = result.badge else { return call.succeedQuietly() }
        call.succeed(Envelope.row { writer in writer.member("BADGENO", String(badge)) })
      // The message's history has been deleted, so the confirmation no longer counts. Report success, so that the SDK
      // does not retry.
      case .unknownMessage where result.isForgotten: call.succeedQuietly()
      case .unknownMessage, .invalidPushkey:
        call.refuse(
          LegacyRefusal(.serverError, "There is no message \(confirmation.seqno) that this PSID could have received."))
      }
    }
  }
}
