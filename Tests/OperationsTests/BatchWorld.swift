import Crypto
@testable import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// An app in a database of its own, and the way to carry out operations in it one batch at a time.
final class BatchWorld {
  static let node = UUIDValue(high: 1, low: 1)

  let databaseURL: String
  let connection: Connection
  var app: App
  let userProofs = UserProofKeyring(key: SymmetricKey.random())
  /// Apps beside it.
  var furtherApps: [App] = []
  var policies: AppPolicies {
    var policies = AppPolicies([app] + furtherApps)
    policies.userProofs = userProofs
    return policies
  }
  /// Microseconds since 1970; tests move it by hand.
  var now: Timestamp = 1_800_000_000_000_000
  let pushkeys = PushKeyring(present: SymmetricKey.random())

  init(policy: App.DevicePolicy = .multi) throws {
    let database = try TestDatabase.make()
    databaseURL = database.url
    connection = try database.connect()
    let record = try connection.run(
      Apps.create(appID: "com.example.bank", name: "Bank", clientKey: "key", timeZone: "Asia/Seoul", identity: .open))
    if policy == .single { try connection.script("UPDATE apps SET device_policy = 1") }
    app = App(
      number: record.app.number, appID: record.app.appID, name: "", timeZone: "Asia/Seoul", devicePolicy: policy,
      pausedReason: nil, identityRules: App.IdentityRules(.open))
  }

  /// Carries operations out together, as a committer does.
  @discardableResult
  func run(_ operations: Operation...) throws -> [OperationBatch.Outcome] {
    try runAll(operations)
  }

  func runAll(_ operations: [Operation]) throws -> [OperationBatch.Outcome] {
    let batch = OperationBatch(
      operations, writer: 1, node: Self.node, policies: policies, now: now, readAt: Instant(nanoseconds: 0))
    try batch.run(on: connection)
    return batch.results
  }

  // MARK: Making things

  func registration(
    _ installation: String, psid: String, user: String? = nil, proof: AuthKeyring.Claim? = nil,
    environment: PushEnvironment = .production, attributes: Devices.Attributes = Devices.Attributes(),
    isFromSDK: Bool = false, userProof: String? = nil,
    consents: Consents.Change = Consents.Change()
  ) -> Operation {
    var registration = Operation.Registration(
      app: app, device: device(installation), installation: installation, network: .apns, environment: environment,
      psid: psid, user: user.map { NamedUser(clientUID: $0, name: "Name of \($0)", proof: userProof) },
      attributes: attributes, proof: proof, consents: consents)
    registration.isFromSDK = isFromSDK
    return .register(registration)
  }

  func device(_ installation: String) -> DeviceID {
    DeviceID(appID: app.appID, network: .apns, installation: installation)
  }

  func claim(_ installation: String, epoch: Int16 = 0) -> AuthKeyring.Claim {
    AuthKeyring.Claim(device: device(installation), epoch: epoch)
  }

  /// A message that exists, as if it had been sent.
  func message() throws -> Seqno {
    let created = try connection.run(
      Messages.create(
        Messages.New(
          app: app.number, lane: .normal, request: "{}", requestSHA256: [], idempotencyKey: nil, apiKey: nil,
          targeted: 1, unknownEntries: "[]", keepsHistory: true, now: now, expiresAt: now + .seconds(1))))
    return created ?? .zero
  }

  /// Notes that a message went to a device of a user.
  func send(_ seqno: Seqno, to installation: String, user: String) throws {
    let record = Outcomes.Record(
      seqno: seqno, device: device(installation), userKey: UserKey(clientUID: user), status: .accepted, attempts: 1,
      reason: nil, dueAt: nil)
    _ = try connection.run(Outcomes.write([record], at: now))
  }

  /// A message to kim that adds to the count, as a back office sends it.
  func sendToKim(adding increment: Int = 1) throws -> Operation {
    let catalog = try Catalog(seal: ContentSeal([SymmetricKey.random()]))
    try catalog.refresh(connection)
    let body = """
      {"appId":"com.example.bank","audience":{"clientUids":["kim"]},"alert":"Hello","badge":{"increment":\(increment)}}
      """
    let caller = Caller(role: .sender, app: nil, apiKey: nil)
    return .send(
      try #require(DirectSend(body: Array(body.utf8), idempotencyKey: nil, caller: caller, catalog: catalog)))
  }

  func receipt(_ seqno: Seqno, psid: String) -> Operation {
    .confirm([Operation.Confirmation(seqno: seqno, psid: psid, read: nil, isGenuine: true)])
  }

  func read(_ seqno: Seqno, psid: String, _ option: BadgeOption = .keep) -> Operation {
    .confirm([Operation.Confirmation(seqno: seqno, psid: psid, read: option, isGenuine: true)])
  }

  func setPolicies(_ identity: App.Identity = .open, badgeSync: Bool = false) {
    app.identityRules.identity = identity
    app.syncsBadges = badgeSync
  }

  // MARK: Looking

  func count(_ sql: String) throws -> Int64 {
    try connection.run(Statement("test\(sql.hashValue)", sql)).int64(0, 0)
  }

  func badge(_ user: String) throws -> Int16 {
    let key = Users.Key(app: app.number, userKey: UserKey(clientUID: user))
    return try connection.run(Users.find([key]))[key]?.badge ?? 0
  }

  func setBadge(_ user: String, _ value: Int16) throws {
    let key = Users.Key(app: app.number, userKey: UserKey(clientUID: user))
    _ = try connection.run(Users.lock([key]))
    try connection.run(Users.saveCounts([(key, value)]))
  }

  /// What breaks I5 by the tables.
  func brokenCounts() throws -> Int64 {
    let question = try #require(Invariants.all.first { $0.name == "I5" })
    return try connection.run(question.broken)
  }

  /// All rows of a DEVICE_ID, in their order.
  func rows(_ installation: String) throws -> [Devices.Record] {
    try connection.run(Devices.find(device(installation).rows)).sorted { $0.device < $1.device }
  }

  /// The first of them.
  func record(_ installation: String) throws -> Devices.Record? {
    try connection.run(Devices.find([device(installation)])).first
  }
}

extension Result where Success == OperationAnswer, Failure == Problem {
  var confirmed: [OperationAnswer.Confirmed]? {
    if case .success(.confirmed(let list)) = self { list } else { nil }
  }

  var sentSeqno: Seqno? {
    if case .success(.sent(let accepted, _)) = self { accepted.seqno } else { nil }
  }

  var problem: Problem.Code? {
    if case .failure(let problem) = self { problem.code } else { nil }
  }

  var isNewRegistration: Bool? {
    if case .success(.registered(let registered)) = self { registered.isNew } else { nil }
  }

  var badge: Int16? {
    if case .success(.badge(let badge)) = self { badge } else { nil }
  }
}
