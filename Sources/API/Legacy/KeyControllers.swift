internal import Domain
internal import JSON
internal import Operations
internal import Store

/// `asking_authorization`, which issues keys, and calls with which the SDK asks about the server.
extension LegacyHandler {
  /// Issues a key to any caller that knows the PSID. This is a weak secret, which the push network and many logs
  /// contain too; where users must be vouched for, such a key permits little.
  func askKey(_ call: LegacyCall) throws(LegacyRefusal) {
    try withApp(call) { [self] app throws(LegacyRefusal) in
      try Self.checkSDKAccess(of: app)
      let identity = try DeviceIdentity(call.form, app: app)
      identify(call, identity) { record throws(LegacyRefusal) in
        let claim = record.map { AuthKeyring.Claim(device: $0.device, epoch: $0.authEpoch, isTokenOnly: true) }
        call.succeed(
          Envelope.row { writer in
            writer.member("AUTHKEY", self.makeKey(app: app, psid: identity.psid, claim: claim))
          })
      }
    }
  }

  /// Answers with success: there is nothing to configure and no broker to allocate. Client logs are discarded, because
  /// they may contain personal data.
  func showConfiguration(_ call: LegacyCall) throws(LegacyRefusal) {
    call.succeed()
  }

  /// Returns a handler that refuses the call with an explanation.
  func refusing(_ text: String) -> (LegacyCall) throws(LegacyRefusal) -> Void {
    { _ throws(LegacyRefusal) in throw LegacyRefusal(.serverError, text) }
  }

  func appAlive(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false) { [self] _, claim in
      perform(.alive(claim), call) { _ in call.succeedQuietly() }
    }
  }
}
