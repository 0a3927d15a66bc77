internal import Domain
internal import JSON
internal import Operations
internal import Store

/// `asking_authorization`, and what the SDK asks about the server itself.
extension LegacyHandler {
  /// Issues a key to any caller that knows the PSID, a weak secret that the push network and many logs hold too. Where
  /// users are vouched for, such a key grants little.
  func askKey(_ call: LegacyCall) throws(LegacyRefusal) {
    try withApp(call) { [self] app throws(LegacyRefusal) in
      try Self.checkDoor(of: app)
      let identity = try DeviceIdentity(call.form, app: app)
      identify(call, identity) { record throws(LegacyRefusal) in
        let claim = record.map { AuthKeyring.Claim(device: $0.device, epoch: $0.authEpoch, isAsked: true) }
        call.succeed(
          Envelope.row { writer in
            writer.member("AUTHKEY", self.makeKey(app: app, psid: identity.psid, claim: claim))
          })
      }
    }
  }

  /// There is nothing to configure and no broker to allocate. Client logs are not kept: they may hold personal data.
  func showConfiguration(_ call: LegacyCall) throws(LegacyRefusal) {
    call.succeed()
  }

  /// A controller that is refused with an explanation.
  func refusing(_ text: String) -> (LegacyCall) throws(LegacyRefusal) -> Void {
    { _ throws(LegacyRefusal) in throw LegacyRefusal(.serverError, text) }
  }

  func appAlive(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false) { [self] _, claim in
      perform(.alive(claim), call) { _ in call.succeedQuietly() }
    }
  }
}
