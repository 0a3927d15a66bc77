internal import Domain
internal import JSON
internal import Operations
internal import Store

/// `asking_authorization`, which issues keys; `rcv_appAlive`, which records that the device is in use; and calls of the
/// SDK that have no effect here or are always refused.
extension LegacyHandler {
  /// Issues an AUTHKEY to any caller that knows the PSID, whether or not a device is registered with it. The PSID is a
  /// weak secret, which the push network and many logs contain too, so the key is marked as proving the token only:
  /// where users must be vouched for, it permits little.
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

  /// Answers with success and an empty row, for three calls: there is nothing to configure, no broker to allocate, and
  /// client logs are discarded, because they may contain personal data.
  func showConfiguration(_ call: LegacyCall) throws(LegacyRefusal) {
    call.succeed()
  }

  /// Returns a handler that refuses every call with code 500 and an explanation.
  func refusing(_ text: String) -> (LegacyCall) throws(LegacyRefusal) -> Void {
    { _ throws(LegacyRefusal) in throw LegacyRefusal(.serverError, text) }
  }

  func appAlive(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false) { [self] _, claim in
      perform(.alive(claim), call) { _ in call.succeedQuietly() }
    }
  }
}
