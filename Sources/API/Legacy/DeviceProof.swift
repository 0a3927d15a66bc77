internal import Domain
internal import Operations
internal import Reactor
internal import Store

/// Authentication of devices: by AUTHKEY, or where keys are switched off, by the PSID alone in apps with identity mode
/// `open`.
extension LegacyHandler {
  /// Verifies the call's AUTHKEY, and returns what it states. Nil, whether the call has a key or not, if keys are
  /// switched off and the app's identity mode is `open`.
  /// - Throws: `.authenticationFailed` if the key is missing, expired, forged or another app's; see also
  ///   `checkSDKAccess`.
  func proof(_ form: Form, app: App) throws(LegacyRefusal) -> SDKKeyring.Subject? {
    try Self.checkSDKAccess(of: app)
    // With keys switched off, a device proves nothing, which only apps with identity mode `open` accept.
    guard configuration.requiresKeys || app.identity != .open else { return nil }
    guard let key = form["AUTHKEY"] else {
      throw LegacyRefusal(.authenticationFailed, "AUTHKEY is needed. Ask for one with asking_authorization.ctl.")
    }
    switch keys.sdkKeys.verify(key, now: loop.clock.wallTime) {
    case .genuine(let subject) where subject.app == app.number: return subject
    case .expired: throw LegacyRefusal(.authenticationFailed, "This AUTHKEY has expired. Ask for a new one.")
    case .genuine, .forged: throw Self.foreignKey
    }
  }

  /// Throws if the app's identity mode is `strict`, whose proofs this protocol cannot express.
  static func checkSDKAccess(of app: App) throws(LegacyRefusal) {
    guard app.identity == .strict else { return }
    throw LegacyRefusal(
      .serverError,
      "The app \(app.appID) is strict: its devices register at /v1/devices, which this protocol has no words for.",
      status: 403)
  }

  static let foreignKey = LegacyRefusal(
    .authenticationFailed, "This AUTHKEY is not valid for this app and device. Ask for a new one.")

  /// Returns a new AUTHKEY, valid for half an hour, for an app and PSID.
  /// - Parameter claim: the registered device for which the key is issued; nil if none is registered.
  func makeKey(app: App, psid: String, claim: AuthKeyring.Claim?) -> String {
    keys.sdkKeys.make(SDKKeyring.Subject(app: app.number, psid: psid, claim: claim), now: loop.clock.wallTime)
  }

  /// Identifies and authenticates the calling device, then calls `body` with what it has proved, at once or after the
  /// app or the device has been looked up. Refusals after that, including those of `body`, are sent as the answer.
  /// - Parameters:
  ///   - isAboutUser: whether the CUID in the form, if any, must be the device's user.
  ///   - nobody: called instead if no registered device has the PSID, or only one with another DEVICE_ID; nil refuses
  ///     the call with `.notRegistered`.
  func withClaim(
    _ call: LegacyCall, isAboutUser: Bool, nobody: ((LegacyCall) -> Void)? = nil,
    _ body: @escaping (DeviceIdentity, AuthKeyring.Claim) throws(LegacyRefusal) -> Void
  ) throws(LegacyRefusal) {
    try withApp(call) { [self] app throws(LegacyRefusal) in
      let identity = try DeviceIdentity(call.form, app: app)
      let proof = try proof(call.form, app: app)
      var about = AuthKeyring.Claim(device: identity.device, epoch: 0)
      about.actingFor = isAboutUser ? identity.actingFor : nil
      about.userProof = try call.form.text("USERPROOF", upTo: Domain.Limits.userProofBytes)
      if let claim = proof?.claim, !identity.hasDeviceID || claim.device.sharesInstallation(with: identity.device) {
        return try body(identity, about.by(claim))
      }
      guard proof?.covers(psid: identity.psid) != false else { throw Self.foreignKey }
      identify(call, identity) { record throws(LegacyRefusal) in
        // The token now belongs to another device, which is not the caller.
        guard let record, !identity.hasDeviceID || record.device.sharesInstallation(with: identity.device) else {
          if let nobody { return nobody(call) }
          throw LegacyRefusal(.notRegistered, "NotRegistered: register the service first.")
        }
        try body(
          identity, about.by(AuthKeyring.Claim(device: record.device, epoch: record.authEpoch, isTokenOnly: true)))
      }
    }
  }

  /// Looks up the device that owns the PSID, and later calls `body` with it, or with nil if there is none. If the
  /// lookup or `body` fails, answers the call with the refusal.
  func identify(
    _ call: LegacyCall, _ identity: DeviceIdentity, _ body: @escaping (Devices.Record?) throws(LegacyRefusal) -> Void
  ) {
    perform(.identify(app: identity.app.number, network: identity.network, psid: identity.psid), call) { answer in
      guard case .identified(let record) = answer else { return }
      do throws(LegacyRefusal) {
        try body(record)
      } catch {
        call.refuse(error)
      }
    }
  }
}

extension AuthKeyring.Claim {
  /// Returns `claim` with this claim's user and user proof.
  fileprivate func by(_ claim: AuthKeyring.Claim) -> AuthKeyring.Claim {
    var made = claim
    (made.actingFor, made.userProof) = (actingFor, userProof)
    return made
  }
}
