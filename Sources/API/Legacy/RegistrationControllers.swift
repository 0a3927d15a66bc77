internal import Domain
internal import JSON
internal import Operations
internal import Store

/// Registers and unregisters the service, as the protocol calls a device's registration, and the device's user.
extension LegacyHandler {
  /// Registers the device without naming a user. A known device keeps its user. With a new PSID it must prove itself by
  /// the AUTHKEY of its last registration, unless the app accepts a DEVICE_ID as proof; otherwise it is registered as
  /// another device, a guest.
  func registerService(_ call: LegacyCall) throws(LegacyRefusal) {
    try register(call) { _ in nil }
  }

  func registerServiceAndUser(_ call: LegacyCall) throws(LegacyRefusal) {
    let phones = keys.phones
    try register(call) { identity throws(LegacyRefusal) in
      guard let user = identity.clientUID ?? (identity.isGuest ? UserKey.guestUID : nil) else {
        throw LegacyRefusal(field: "CUID", "is needed")
      }
      return try NamedUser(user, call.form, of: identity.app, phones)
    }
  }

  private func register(
    _ call: LegacyCall, user: @escaping (DeviceIdentity) throws(LegacyRefusal) -> NamedUser?
  ) throws(LegacyRefusal) {
    try withApp(call) { [self] app throws(LegacyRefusal) in
      if let problem = app.refusalWhileDeleted { throw LegacyRefusal(problem) }
      let identity = try DeviceIdentity(call.form, app: app)
      let environment = try Self.environment(call.form)
      let attributes = try Self.attributes(call.form)
      let consents = try Self.consents(call.form)
      let named = try user(identity)
      let proof = try proof(call.form, app: app)
      guard Self.isOwn(proof, identity) else { throw Self.foreignKey }
      var registration = Operation.Registration(
        app: app, device: identity.device, installation: identity.installation, network: identity.network,
        environment: environment, psid: identity.psid, user: named, attributes: attributes, proof: proof?.claim,
        consents: consents)
      registration.isFromSDK = true
      registration.origin = call.origin
      perform(.register(registration), call) { answer in
        guard case .registered(let registered) = answer else { return }
        let record = registered.device
        self.succeed(
          call, identity,
          AuthKeyring.Claim(device: record.device, epoch: record.authEpoch, isTokenOnly: !registered.givesFullKey))
      }
    }
  }

  /// Returns whether the key was issued for this device, or for its PSID. Also true if no key is required (`proof` is
  /// nil).
  private static func isOwn(_ proof: SDKKeyring.Subject?, _ identity: DeviceIdentity) -> Bool {
    guard let proof else { return true }
    return proof.claim?.device.sharesInstallation(with: identity.device) == true || proof.covers(psid: identity.psid)
  }

  /// Answers a registration, of the service or the user, with a new AUTHKEY for the device.
  private func succeed(_ call: LegacyCall, _ identity: DeviceIdentity, _ claim: AuthKeyring.Claim) {
    let key = makeKey(app: identity.app, psid: identity.psid, claim: claim)
    call.succeed(
      Envelope.row { writer in
        writer.member("AUTHKEY", key)
        writer.member("APPID", identity.app.appID)
      })
  }

  private static func environment(_ form: Form) throws(LegacyRefusal) -> PushEnvironment {
    try LegacyRefusal.reading("APNS_MODE") { () throws(SDKWords.Objection) in
      try SDKWords.environment(form["APNS_MODE"])
    }
  }

  private static func attributes(_ form: Form) throws(LegacyRefusal) -> Devices.Attributes {
    let bytes = Domain.Limits.attributeBytes
    var attributes = Devices.Attributes()
    attributes.platform = try LegacyRefusal.reading("DEVICE_TYPE") { () throws(SDKWords.Objection) in
      try SDKWords.platform(form["DEVICE_TYPE"])
    }
    attributes.model = try form.text("DEVICE_MD", upTo: bytes) ?? ""
    attributes.osVersion = try form.text("OS_VER", upTo: bytes) ?? ""
    attributes.appVersion = try form.text("APP_VER", upTo: bytes) ?? ""
    return attributes
  }

  /// Parses the consents, for which the original protocol has no fields. Absent ones are nil, and stay unchanged.
  private static func consents(_ form: Form) throws(LegacyRefusal) -> Consents.Change {
    var consents = Consents.Change()
    consents.notification = try form.flag("NOTIFICATION_YN")
    consents.ad = try form.flag("AD_YN")
    consents.nightAd = try form.flag("NIGHT_AD_YN")
    return consents
  }

  // MARK: The user

  func registerUser(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false) { [self] identity, claim throws(LegacyRefusal) in
      guard let user = identity.clientUID else {
        guard identity.isGuest else { throw LegacyRefusal(field: "CUID", "is needed") }
        return perform(.clearUser(claim), call) { _ in self.succeed(call, identity, claim) }
      }
      let named = try NamedUser(user, call.form, of: identity.app, keys.phones)
      perform(.setUser(claim, named), call) { answer in
        guard case .found(let record, _, _) = answer else { return }
        self.succeed(call, identity, claim.renewed(for: record))
      }
    }
  }

  func deleteUser(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: true) { [self] _, claim in
      perform(.clearUser(claim), call) { _ in call.succeedQuietly() }
    }
  }

  // MARK: The service

  /// Answers `N` if no active device has the PSID, so that the client must register; `C` if the call names a user, and
  /// the device has another one or none; and otherwise `Y`.
  func showService(_ call: LegacyCall) throws(LegacyRefusal) {
    try withApp(call) { [self] app throws(LegacyRefusal) in
      let identity = try DeviceIdentity(call.form, app: app)
      let proof = try proof(call.form, app: app)
      guard Self.isOwn(proof, identity) else { throw Self.foreignKey }
      identify(call, identity) { record in
        call.succeed(Envelope.row { writer in writer.member("ISREGISTERED", Self.registrationState(record, identity)) })
      }
    }
  }

  private static func registrationState(_ record: Devices.Record?, _ identity: DeviceIdentity) -> String {
    guard let record, record.state == .active else { return "N" }
    guard let user = identity.clientUID else { return "Y" }
    return UserKey(clientUID: user) == record.userKey ? "Y" : "C"
  }

  /// Unregisters the device. Also succeeds if it is not registered.
  func deleteService(_ call: LegacyCall) throws(LegacyRefusal) {
    try withClaim(call, isAboutUser: false, nobody: { $0.succeedQuietly() }) { [self] _, claim in
      committer.submit(.unregister(claim)) { outcome in
        if case .failure(let problem) = outcome, problem.code != .unknownDevice {
          return call.refuse(LegacyRefusal(problem))
        }
        call.succeedQuietly()
      }
    }
  }
}
