/// Registers the device and its user.
extension PushClient {
  /// Registers the device and optionally its user, and stores the registration. Call it at every start of the app, and
  /// whenever the system issues a token. The user is kept when the token changes, unless the server does not accept the
  /// device's key any more: then the app's client key is used, and a new token makes the device a guest unless `user`
  /// is set. But if the latest call that sets a user got no answer, it can have ended the key: then that user is set,
  /// with the proof given there. If the new token of a registered device gets no answer, the next `flush` registers it.
  /// - Parameters:
  ///   - token: PSID: the APNs token in hexadecimal, or FCM's registration token.
  ///   - user: the user to set; nil keeps the current user, `.guest` removes it, like `unregisterUser()`.
  ///   - consent: consents to record with the registration; nil leaves all unchanged.
  /// - Throws: `.badArgument` if the token is empty, longer than 512 bytes or contains other than visible ASCII
  ///   characters; `.refused` (`upmc:bad-user-proof`) if the app requires a proof of the user and there is no valid
  ///   one; `.keyStore`; the errors of a call to the server.
  @discardableResult
  public func register(
    token: String, user: ClientUser? = nil, consent: ConsentChange? = nil
  ) async throws(ClientError) -> DeviceRegistration {
    guard OutboxEntry.isPlain(token, 512) else { throw .badArgument("a push token is 1 to 512 bytes without spaces") }
    return try await inOrder { client throws(ClientError) in try await client.registerNow(token, user, consent) }
  }

  private func registerNow(
    _ token: String, _ user: ClientUser?, _ consent: ConsentChange?
  ) async throws(ClientError) -> DeviceRegistration {
    let token = settings.network == .apns ? token.lowercased() : token
    let call = try registrationCall(token, user, consent)
    if user == nil {
      // A proof that got no answer may have ended the key, with which the device keeps its user now.
      do throws(ClientError) {
        try await provePossessionNow()
        try await leaveNow()
      } catch {
        log("possession is proved later: \(error)")
      }
    }
    var known = try registration()
    let before = known
    // The answer can be lost and the server send to this token all the same: such a push is confirmed with it.
    known?.expect(token: token)
    // So can that of the user, and the process end.
    if let user { known?.expect(user: user) }
    if known != before { keep(known) }
    let origin = settings.server.base
    var named = user
    var answer = try await self.call(call.request(to: origin, key: known?.authKey ?? settings.clientKey))
    var signsOutLater = false
    if user == .guest, let known, known.awaitsPush, ServerProblem(answer)?.type == "upmc:user-mismatch" {
      // The device's key may not remove the user before the push has come back.
      signsOutLater = true
      answer = try await self.call(registrationCall(token, nil, consent).request(to: origin, key: known.authKey))
    }
    if known != nil, let problem = ServerProblem(answer), problem.status == 401 || problem.type == "upmc:forbidden" {
      // The device's key is not valid any more: the device was unregistered, or another call has replaced the key. (The
      // 401 of a network that requires a login says nothing about it.)
      log("the device's key has ended; registering with the app's")
      // The call that has ended it may be the one that set a user, without an answer.
      named = user ?? known?.unansweredUser?.user
      answer = try await self.call(registrationCall(token, named, consent).request(to: origin, key: settings.clientKey))
      if user == nil, named != nil, ServerProblem(answer)?.type == "upmc:bad-user-proof" {
        log("nobody vouches for the user any more; registering without one")
        answer = try await self.call(call.request(to: origin, key: settings.clientKey))
      }
    }
    note(answer, of: named)
    if let asked = known, ServerProblem(answer) != nil, !answer.isBusy {
      // The server does not take this token, or this user: `flush` need not try again.
      known?.expectedPsid = nil
      if let named, named != .guest { known?.unansweredUser = nil }
      if known != asked { keep(known) }
    }
    let device = try RegistrationCall.registered(answer)
    var stored =
      known
      ?? StoredRegistration(
        server: settings.server, appID: settings.appID, device: device.device, authKey: device.authKey, psid: token,
        awaitsPush: device.awaitsPush)
    stored.adopt(token: token)
    stored.adopt(device)
    stored.unansweredUser = nil
    if let named {
      stored.askedFor = named == .guest ? nil : named.clientUID
      stored.leaves = signsOutLater ? .user : nil
    } else if stored.leaves == .service {
      // The app registers the device again, and who left it is not its user.
      stored.leaves = .user
    }
    try state.write(stored)
    log("registered device \(device.device), token \(token.prefix(8))…, identity \(device.identity ?? "guest")")
    return DeviceRegistration(stored, badge: device.awaitsPush ? nil : device.badge)
  }

  private func registrationCall(
    _ token: String, _ user: ClientUser?, _ consent: ConsentChange?
  ) throws(ClientError) -> RegistrationCall {
    RegistrationCall(
      appID: settings.appID, network: settings.network, environment: settings.environment, token: token,
      deviceID: try state.installation(), user: user, attributes: settings.attributes, consent: consent)
  }

  /// Stores what is known of a token or user that is being registered. A failure is only logged: the registration goes
  /// on.
  private func keep(_ known: StoredRegistration?) {
    guard let known else { return }
    do throws(ClientError) {
      try state.write(known)
    } catch {
      log("cannot note what is to be registered: \(error)")
    }
  }

  /// Registers the token whose registration the server has not answered, if there is one. Throws like
  /// `register(token:user:consent:)`.
  func registerExpectedToken() async throws(ClientError) {
    // An extension has no client key, and does not know what the app reports of the device.
    guard !settings.clientKey.isEmpty, try registration()?.expectedPsid != nil else { return }
    try await inOrder { client throws(ClientError) in
      // A registration that was under way may have been answered meanwhile.
      guard let token = try client.registration()?.expectedPsid else { return }
      _ = try await client.registerNow(token, nil, nil)
    }
  }

  /// Sets the user of a registered device; `.guest` removes the user, like `unregisterUser()`. In an app whose identity
  /// mode is `strict`, the device belongs to the user only after a push (`DeviceRegistration.awaitsPush`). If the
  /// device's key is not valid any more, or may not name this user, registers the device with its user, like
  /// `register(token:user:consent:)`.
  /// - Throws: `.notRegistered`; `.refused` (`upmc:bad-user-proof`) if the app requires a proof of the user and there
  ///   is no valid one; `.keyStore`; the errors of a call to the server.
  @discardableResult
  public func register(user: ClientUser) async throws(ClientError) -> DeviceRegistration {
    try await inOrder { client throws(ClientError) in try await client.setUserNow(user) }
  }

  private func setUserNow(_ user: ClientUser) async throws(ClientError) -> DeviceRegistration {
    struct Body: Encodable {
      var clientUid: String
      var clientName: String?
      var userProof: String?
    }
    var asked = try demandRegistration()
    asked.expect(user: user)
    keep(asked)
    let body = Body(
      clientUid: user.clientUID, clientName: user.clientName.isEmpty ? nil : user.clientName, userProof: user.proof)
    let answer = try await deviceCall("PUT", "/user", WireBody.encode(body), of: asked)
    if let problem = ServerProblem(answer),
      problem.status == 401 || problem.type == "upmc:forbidden" && user != .guest
    {
      // This very call may have ended the key: it does so for a user who is vouched for, and if that answer is lost,
      // the repetition comes with the former key. Or the key shows no more than the token of another user's device,
      // which awaits its push: a registration gives this user a device of its own.
      return try await registerNow(asked.expectedPsid ?? asked.psid, user, nil)
    }
    if user == .guest, let known = try note(.user, answer, of: asked) { return DeviceRegistration(known, badge: nil) }
    note(answer, of: user)
    var known = try reread(asked)
    known.unansweredUser = nil
    if ServerProblem(answer) != nil, !answer.isBusy { keep(known) }
    try take(try answer.decoded(DeviceUserAnswer.self), into: &known)
    known.askedFor = user == .guest ? nil : user.clientUID
    known.leaves = nil
    try state.write(known)
    return DeviceRegistration(known, badge: nil)
  }

  /// Updates `refusedUser`, for `status`: sets it if the server refused the user for lack of a proof, clears it after a
  /// success, and leaves it unchanged after other answers.
  private func note(_ answer: WireAnswer, of user: ClientUser?) {
    if ServerProblem(answer)?.type == "upmc:bad-user-proof" {
      refusedUser = user?.clientUID
    } else if (200...299).contains(answer.status) {
      refusedUser = nil
    }
  }

  /// Returns the stored registration with changes that another process has made meanwhile, such as a new token; returns
  /// `asked` if no registration is stored any more, or that of another device.
  private func reread(_ asked: StoredRegistration) throws(ClientError) -> StoredRegistration {
    guard let now = try registration(), now.device == asked.device else { return asked }
    return now
  }

  private func take(_ answer: DeviceUserAnswer, into known: inout StoredRegistration) throws(ClientError) {
    guard OutboxEntry.isPlain(answer.authKey, 1_024) else { throw .notAnAnswer(status: 200) }
    known.authKey = answer.authKey
    known.adopt(user: answer.user, identity: answer.identity, awaitsPush: answer.awaitsPush)
  }

  /// Removes the user from the device, which becomes a guest: it still receives messages to everyone. If the device
  /// awaits a push that would prove possession of its token (`strict` apps), ends that too. But a user's device that
  /// has registered without its key can remove the user only with the key that the push brings: it does so then, or
  /// with a later `flush`, unless the app sets a user before. Otherwise no effect on a guest.
  /// - Throws: `.notRegistered`; `.keyStore`; the errors of a call to the server.
  public func unregisterUser() async throws(ClientError) {
    try await inOrder { client throws(ClientError) in try await client.removeUser(of: client.demandRegistration()) }
  }

  private func removeUser(of asked: StoredRegistration) async throws(ClientError) {
    let answer = try await deviceCall("DELETE", "/user", of: asked)
    guard try note(.user, answer, of: asked) == nil else { return }
    try answer.demandNoContent()
    var known = try reread(asked)
    known.adopt(user: nil, identity: nil, awaitsPush: false)
    known.askedFor = nil
    known.unansweredUser = nil
    known.leaves = nil
    try state.write(known)
  }

  /// If the server has refused to remove the user or the device because the device awaits its push, notes that this is
  /// to be done afterwards, and returns the changed registration. Otherwise returns nil.
  private func note(
    _ leaving: StoredRegistration.Leaving, _ answer: WireAnswer, of asked: StoredRegistration
  ) throws(ClientError) -> StoredRegistration? {
    guard asked.awaitsPush, ServerProblem(answer)?.type == "upmc:forbidden" else { return nil }
    var known = try reread(asked)
    known.askedFor = nil
    known.unansweredUser = nil
    if leaving == .service { known.expectedPsid = nil }
    known.leaves = leaving
    try state.write(known)
    log("the \(leaving.rawValue) is removed when a push has come back")
    return known
  }

  /// Removes the user or the device, if the app has asked for that while the device awaited its push and it awaits none
  /// any more.
  private func leaveNow() async throws(ClientError) {
    guard let asked = try registration(), !asked.awaitsPush else { return }
    switch asked.leaves {
    case .user: try await removeUser(of: asked)
    case .service: try await removeDevice(asked)
    case nil: break
    }
  }

  /// Unregisters the device, so that nothing more is sent to it, and removes the stored registration. Also succeeds if
  /// the server does not know the device any more; no effect if the device is not registered. If the call fails, throws
  /// and keeps the stored registration. Stored receipts and reads remain and can still be sent.
  ///
  /// A user's device that has registered without its key, and awaits a push (`strict` apps), can be unregistered only
  /// with the key that the push brings: that happens then, or with a later `flush`, unless the app registers the device
  /// before. Until then it receives pushes, but counts as not registered.
  public func unregisterService() async throws(ClientError) {
    try await inOrder { client throws(ClientError) in
      if let known = try client.registration() { try await client.removeDevice(known) }
    }
  }

  private func removeDevice(_ known: StoredRegistration) async throws(ClientError) {
    let answer = try await deviceCall("DELETE", "", of: known)
    guard try note(.service, answer, of: known) == nil else { return }
    // If the answer to an earlier call was lost, the repetition finds neither device nor key, which counts as success.
    if ![401, 404].contains(answer.status) || ServerProblem(answer) == nil { try answer.demandNoContent() }
    try state.removeRegistration()
  }

  // MARK: Strict apps

  /// Stores a push that `proveStoredPossession` returns to the server, in an app whose identity mode is `strict`, to
  /// prove that the device receives pushes sent to its token; only then does the device belong to the user. Stored like
  /// a receipt, because the silent push arrives only once. Returns false, and stores nothing, if the device is not
  /// registered or awaits no push. Called by `receive`.
  func store(possessionBy payload: ReceivedPayload) throws(ClientError) -> Bool {
    guard let known = try registration(), known.awaitsPush else { return false }
    let push = StoredPossession(seqno: payload.seqno, psid: known.psid, pushkey: payload.pushkey)
    // The first one stays: the server may have accepted it and ended the key, and then takes that one again, but no
    // other.
    let first = try state.possessions().prefix(1).filter { $0 != push }
    try state.write(first + [push])
    return true
  }

  /// Returns to the server the pushes that `store(possessionBy:)` has stored, one after the other, until it accepts
  /// one. Removes a stored push if the server rejects it, and all if it accepts one, or if the device is not registered
  /// or awaits no push any more. If there is no answer of a UPMC server, if it is busy, or if the device's key has
  /// ended, keeps the push and throws: the next registration brings a key. Then removes the user or the device, if the
  /// app has asked for that meanwhile.
  func proveStoredPossession() async throws(ClientError) {
    let pushes = try state.possessions()
    guard try registration()?.leaves != nil || !pushes.isEmpty else { return }
    try await inOrder { client throws(ClientError) in
      try await client.provePossessionNow()
      try await client.leaveNow()
    }
  }

  private func provePossessionNow() async throws(ClientError) {
    while let possession = try state.possessions().first {
      guard let asked = try registration(), asked.awaitsPush else { return try state.write([]) }
      let answer = try await deviceCall("POST", "/possession", WireBody.encode(possession), of: asked)
      switch answer.status {
      case 200:
        var known = try reread(asked)
        try take(try answer.decoded(DeviceUserAnswer.self), into: &known)
        try state.write(known)
        try state.write([])
        log("brought back push \(possession.seqno): the device is \(known.identity ?? "a guest's")")
      case 400...499 where ![401, 429].contains(answer.status) && ServerProblem(answer) != nil:
        // The push is an old one or was sent to another token: go on with the next one, which may have been stored
        // meanwhile, or wait for it.
        log("push \(possession.seqno) does not count: HTTP \(answer.status)")
        try state.write(state.possessions().filter { $0 != possession })
      default:
        _ = try answer.decoded(DeviceUserAnswer.self)
        return
      }
    }
  }
}

/// The answer to setting the user and to returning a push: the device's key from now on, and its user.
struct DeviceUserAnswer: Decodable, Sendable {
  var authKey: String
  var user: KnownUser?
  var identity: String?
  var awaitsPush: Bool
}

/// The device's registration, as far as an app needs to know it.
public struct DeviceRegistration: Sendable, Equatable {
  /// The server's id of the device.
  public let device: String
  /// The registered push token (PSID); for APNs, in lower case.
  public let token: String
  /// The CUID of the user to which the device belongs; nil for a guest.
  public let clientUID: String?
  /// The user's display name (CNAME), which may be empty; nil for a guest.
  public let clientName: String?
  /// The identity mode in which the device was bound to its user (`open`, `proof` or `strict`); nil for a guest.
  public let identity: String?
  /// True in `strict` mode from the setting of a user until a push has been returned; only then does the device belong
  /// to that user.
  public let awaitsPush: Bool
  /// The user's badge count at the registration; nil if this value was not returned by `register(token:user:consent:)`,
  /// or while `awaitsPush` holds, because the server does not tell it then.
  public let badge: Int?

  init(_ stored: StoredRegistration, badge: Int?) {
    device = stored.device
    token = stored.psid
    clientUID = stored.clientUID
    clientName = stored.clientName
    identity = stored.identity
    awaitsPush = stored.awaitsPush
    self.badge = badge
  }
}
