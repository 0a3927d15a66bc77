internal import Domain
internal import JSON
internal import Operations
internal import Store

/// `asking_authorization`, and what the SDK asks of the server itself.
extension LegacyHandler {
  /// A key for whoever has the PSID: the device's secret, which its push network and many a log share. Where users are
  /// vouched for it opens little.
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

  /// Nothing to configure, no broker to allocate, and logs of clients are not kept: they hold what is theirs.
  func showConfiguration(_ call: LegacyCall) throws(LegacyRefusal) {
    call.succeed()
  }

  /// A call of the protocol that nothing here answers to.
  func refusing(_ text: String) -> (LegacyCall) throws(LegacyRefusal) -> Void {
    { _ throws(LegacyRefusal) in throw LegacyRefusal(.serverError, text) }
  }

  func appAlive(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false) { [self] _, claim in
      perform(.alive(claim), call) { _ in call.succeedQuietly() }
    }
  }
}
