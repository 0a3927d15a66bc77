import Crypto
import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Operations

@Suite struct AdministrationTests {
  let database: TestDatabase
  let connection: Connection
  let master: MasterKey

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    master = try MasterKey(bytes: MasterKey.makeBytes())
  }

  private func problem(_ body: () throws(Problem) -> Void) -> Problem? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @discardableResult
  private func createApp(
    _ appID: String = "com.example.bank", name: String = "Bank", timeZone: String = "Asia/Seoul",
    by caller: Caller = .commandLine
  ) throws(Problem) -> Administration.AppCreated {
    try Administration.createApp(appID, name: name, timeZone: timeZone, by: caller, on: connection)
  }

  private func json(_ answer: some JSONAnswer) -> String { String(decoding: answer.json, as: UTF8.self) }

  // MARK: Apps

  @Test func `an app gets a client key of 256 random bits, and is announced`() throws {
    let listener = try database.connect()
    try listener.listen(Catalog.channel)
    let first = try createApp()
    let second = try createApp("b")
    #expect(
      json(first) == "{\"appId\":\"com.example.bank\",\"clientKey\":\"\(first.clientKey)\",\"identity\":\"proof\"}")
    #expect(first.clientKey.count == 43 && first.clientKey != second.clientKey)
    #expect(first.clientKey.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    #expect(try !listener.notifications(waitingAtMost: .patience).isEmpty)
  }

  @Test func `a stricter identity takes at least as many devices as may lose their user`() throws {
    try createApp()
    try connection.script(
      """
      UPDATE apps SET identity = 0, observed_identity = 1;
      INSERT INTO devices (device, bound_at, registered_at, created_at, app, network, environment, state, identity,
        user_key, psid, device_id)
      SELECT gen_random_uuid(), now(), now(), now(), 1, 1, 1, 1, identity, user_key, 'p' || row_number() OVER (), 'd'
      FROM (VALUES (0, 'ukim'), (0, 'ulee'), (1, 'upark'), (0, 'gguest')) AS d(identity, user_key)
      """)
    let standing = try Administration.identity(of: "com.example.bank", by: .commandLine, on: connection)
    #expect(standing.unproved == [.proof: 2, .strict: 3])
    func move(_ confirmed: Int64?) -> Problem? {
      problem { () throws(Problem) in
        var change = Administration.AppChange()
        change.identity.identity = .proof
        change.identity.unprovedBindings = confirmed
        _ = try Administration.change("com.example.bank", change, by: .commandLine, on: connection)
      }
    }
    #expect(move(nil)?.detail.contains("unprovedBindings 2") == true)
    #expect(move(1)?.code == .conflict)
    // A higher number than there are: a device may have proved its user since they were counted.
    #expect(move(3) == nil)
    #expect(try connection.run(Apps.find(appID: "com.example.bank"))?.app.identity == .proof)
  }

  @Test func `an app exists once`() throws {
    try createApp()
    #expect(problem { () throws(Problem) in try createApp() }?.code == .conflict)
  }

  @Test func `an id that cannot be a bundle identifier is refused`() {
    for appID in ["", "a b", "com/example", "한", "a\u{0}", "a:b", String(repeating: "a", count: 256)] {
      #expect(problem { () throws(Problem) in try createApp(appID) }?.fields.first?.pointer == "/appId", "\(appID)")
    }
  }

  @Test func `an id that can be one is taken`() throws {
    for appID in ["a", "com.Example-App_1", String(repeating: "a", count: 255)] {
      #expect(try createApp(appID).appID == appID)
    }
  }

  @Test func `names and time zones are checked`() {
    #expect(problem { () throws(Problem) in try createApp(name: "") }?.fields.first?.pointer == "/name")
    let longest = String(repeating: "n", count: 256)
    #expect(problem { () throws(Problem) in try createApp(name: longest + "n") }?.fields.first?.pointer == "/name")
    #expect(problem { () throws(Problem) in try createApp(name: longest) } == nil)
    for zone in ["Asia/Nowhere", "", "'; --"] {
      #expect(
        problem { () throws(Problem) in try createApp("z", timeZone: zone) }?.fields.first?.pointer == "/timeZone")
    }
    #expect(problem { () throws(Problem) in try createApp("u", timeZone: "UTC") } == nil)
  }

  @Test func `apps are listed with their pause, and resume`() throws {
    try createApp("b")
    try createApp("a")
    let app = try #require(try connection.run(Apps.find(appID: "a"))).app
    try connection.run(AppPauses.pause(app.number, reason: "InvalidProviderToken"))
    let entries = try Administration.apps(for: .commandLine, on: connection)
    #expect(entries.map(\.app.appID) == ["a", "b"])
    #expect(json(entries[0]).contains(#","pausedReason":"InvalidProviderToken","#))
    #expect(try Administration.resumeApp("a", by: .commandLine, on: connection).app.pausedReason == nil)
    #expect(
      problem { () throws(Problem) in _ = try Administration.resumeApp("x", by: .commandLine, on: connection) }?.code
        == .unknownApp)
  }

  @Test func `a resume waits for the app's lock, so that an earlier fault does not pause the app again`() throws {
    try createApp()
    let app = try #require(try connection.run(Apps.find(appID: "com.example.bank"))).app.number
    let database = database
    let done = try Inbox<Bool>(capacity: 1)
    let other = try database.connect()
    let sentAt = try other.withTransaction {
      // A node decides about answers of a push network that may pause the app.
      _ = try other.run(AppPauses.states(of: [app], alone: true))
      _ = try Thread(name: "resume") {
        let resumed = try? Administration.resumeApp("com.example.bank", by: .commandLine, on: database.connect())
        _ = done.offer(resumed != nil)
      }
      _ = try poll("the resuming does not wait") { try connection.waitingSessions() == 1 ? true : nil }
      try other.run(AppPauses.pause(app, reason: "InvalidProviderToken"))
      return try connection.run(WallClock.now())
    }
    #expect(done.receive(atMost: .patience) == [true])
    #expect(try connection.run(AppPauses.reason(of: app)) == nil)
    let audited = try connection.run(
      Statement("test-audited", "SELECT before->>'pausedReason' FROM audit_log WHERE action = 'app.resume'"))
    #expect(audited.optionalText(0, 0) == "InvalidProviderToken")
    let isPaused = try connection.run(
      AppPauses.pause(
        app, faultOf: .apns, reason: "InvalidProviderToken", since: sentAt, credentialsReadAt: sentAt))
    #expect(!isPaused)
  }

  // MARK: Credentials

  private func set(
    _ pem: String, keyID: String = "ABCDE12345", teamID: String = "FGHIJ67890", by caller: Caller = .commandLine
  ) throws(Problem) -> Administration.KeySet {
    try Administration.setCredential(
      Administration.APNsKey(pem: pem, keyID: keyID, teamID: teamID), of: "com.example.bank", master: master,
      by: caller, on: connection)
  }

  @Test func `a key is stored sealed for its place, shown without its secret, and ends the pause`() throws {
    try createApp()
    let app = try #require(try connection.run(Apps.find(appID: "com.example.bank"))).app
    try connection.run(AppPauses.pause(app.number, reason: "InvalidProviderToken"))
    let pem = P256.PrivateKey().pem
    let answer = try set(pem)
    #expect(
      json(answer)
        == #"{"appId":"com.example.bank","pnsId":"APNS","keyId":"ABCDE12345","teamId":"FGHIJ67890","check":null}"#)
    let stored = try #require(try connection.run(Secrets.credentials()).first)
    #expect(stored.kind == "apns-key")
    #expect(stored.publicPart.contains("ABCDE12345") && !stored.publicPart.contains("PRIVATE"))
    #expect(try master.open(stored.sealed, for: "credential \(app.number) apns") == Array(pem.utf8))
    #expect(throws: Problem.self) { try master.open(stored.sealed, for: "credential \(app.number + 1) apns") }
    #expect(try connection.run(Apps.find(appID: "com.example.bank"))?.app.pausedReason == nil)
  }

  @Test func `a new key takes the old one's place`() throws {
    try createApp()
    _ = try set(P256.PrivateKey().pem)
    let pem = P256.PrivateKey().pem
    _ = try set(pem, keyID: "ZZZZZ99999")
    let stored = try connection.run(Secrets.credentials())
    #expect(stored.count == 1)
    #expect(stored.first?.publicPart.contains("ZZZZZ99999") == true)
  }

  @Test(arguments: [false, true])
  func `a key is newer than what a node reads while the storing waits`(_ isReplacement: Bool) throws {
    try createApp()
    if isReplacement { _ = try set(P256.PrivateKey().pem) }
    let app = try #require(try connection.run(Apps.find(appID: "com.example.bank"))).app.number
    let (database, master) = (database, master)
    let done = try Inbox<Bool>(capacity: 1)
    let other = try database.connect()
    let readAt = try other.withTransaction {
      // A node decides about answers of a push network that may pause the app.
      _ = try other.run(AppPauses.states(of: [app], alone: true))
      _ = try Thread(name: "store") {
        let key = Administration.APNsKey(pem: P256.PrivateKey().pem, keyID: "ABCDE12345", teamID: "FGHIJ67890")
        let stored = try? Administration.setCredential(
          key, of: "com.example.bank", master: master, by: .commandLine, on: database.connect())
        _ = done.offer(stored != nil)
      }
      _ = try poll("the storing does not wait") { try connection.waitingSessions() == 1 ? true : nil }
      return try connection.run(WallClock.now())
    }
    #expect(done.receive(atMost: .patience) == [true])
    // What the node sends without the key shows nothing that is wrong with the app.
    let sentAt = try connection.run(WallClock.now())
    let isPaused = try connection.run(
      AppPauses.pause(app, faultOf: .apns, reason: "no key", since: sentAt, credentialsReadAt: readAt))
    #expect(!isPaused)
  }

  @Test func `what is no P-256 key is refused`() throws {
    try createApp()
    let other = RSA.PrivateKey().pem
    // On P-384: that of RFC 6979, A.2.6.
    let otherCurve =
      "-----BEGIN PRIVATE KEY-----\nME4CAQAwEAYHKoZIzj0CAQYFK4EEACIENzA1AgEBBDBrnT2tLhuMHAWxmHW2ZZ9N\n"
      + "4jw7Znvyl7qapHdAeHE32JbVck5McKgl+HLJ6mDS7fU=\n-----END PRIVATE KEY-----\n"
    let publicKey = P256.PrivateKey().publicKey.pem
    for pem in ["", "hello", other, otherCurve, publicKey, String(repeating: "x", count: 20_000)] {
      let problem = problem { () throws(Problem) in _ = try set(pem) }
      #expect(problem?.fields.first?.pointer == "/apnsKey/pem")
    }
    #expect(try connection.run(Secrets.credentials()).isEmpty)
  }

  @Test func `ids that are not Apple's are refused`() throws {
    try createApp()
    let pem = P256.PrivateKey().pem
    for id in ["", "ABCDE1234", "ABCDE123456", "abcde12345", "ABCDE 2345", "ABCDE1234É"] {
      let (key, team) = (
        problem { () throws(Problem) in _ = try set(pem, keyID: id) },
        problem { () throws(Problem) in _ = try set(pem, teamID: id) }
      )
      #expect(key?.fields.first?.pointer == "/apnsKey/keyId", "\(id)")
      #expect(team?.fields.first?.pointer == "/apnsKey/teamId", "\(id)")
    }
  }

  // MARK: API keys

  @Test func `a key is shown once, stored as a hash, and lets its bearer in`() throws {
    try createApp()
    let app = try #require(try connection.run(Apps.find(appID: "com.example.bank"))).app
    for role in Role.allCases {
      let created = try Administration.createKey(role, appID: "com.example.bank", by: .commandLine, on: connection)
      let number = try Authorization.authenticate(created.apiKey, on: connection).apiKey ?? 0
      #expect(
        json(created)
          == #"{"apiKeyId":"\#(number)","apiKey":"\#(created.apiKey)","role":"\#(role.rawValue)","expiresAt":null}"#)
      #expect(created.apiKey.hasPrefix("upmc_") && created.apiKey.count == 48)
      let caller = try Authorization.authenticate(created.apiKey, on: connection)
      #expect(caller.role == role && caller.app == app.number && caller.apiKey != nil)
    }
    let everywhere = try Administration.createKey(.viewer, appID: nil, by: .commandLine, on: connection)
    #expect(try Authorization.authenticate(everywhere.apiKey, on: connection).app == nil)
  }

  @Test func `an unknown, altered or revoked key is refused`() throws {
    let key = try Administration.createKey(.admin, appID: nil, by: .commandLine, on: connection).apiKey
    for token in ["", "upmc_", key.lowercased() + "x", String(key.dropLast()), " " + key] {
      #expect(
        problem { () throws(Problem) in _ = try Authorization.authenticate(token, on: connection) }?.code
          == .badCredential)
    }
    try connection.script("UPDATE api_keys SET revoked_at = now()")
    #expect(
      problem { () throws(Problem) in _ = try Authorization.authenticate(key, on: connection) }?.code == .badCredential)
  }

  @Test func `a key for one app cannot make one for all, or for another`() throws {
    try createApp("a")
    try createApp("b")
    let app = try #require(try connection.run(Apps.find(appID: "a"))).app
    let scoped = Caller(role: .admin, app: app.number, apiKey: 1)
    func make(_ appID: String?) -> Problem.Code? {
      problem { () throws(Problem) in
        _ = try Administration.createKey(.admin, appID: appID, by: scoped, on: connection)
      }?.code
    }
    #expect(make(nil) == .forbidden)
    #expect(make("b") == .forbidden)
    #expect(make("a") == nil)
  }

  // MARK: Groups

  private func createGroup(_ name: String, parent: Int64? = nil, app: String = "a", by caller: Caller = .commandLine)
    throws(Problem) -> Int64
  {
    try Administration.createGroup(
      Administration.NewGroup(appID: app, name: name, parent: parent), by: caller, on: connection
    ).groupSeq
  }

  @Test func `names are unique below their parent only`() throws {
    try createApp("a")
    try createApp("b")
    let top = try createGroup("x")
    let below = try createGroup("x", parent: top)
    #expect(below != top)
    #expect(problem { () throws(Problem) in _ = try createGroup("x") }?.code == .conflict)
    #expect(problem { () throws(Problem) in _ = try createGroup("x", parent: top) }?.code == .conflict)
    #expect(problem { () throws(Problem) in _ = try createGroup("x", app: "b") } == nil)
  }

  @Test func `a parent must be a group of the same app`() throws {
    try createApp("a")
    try createApp("b")
    let foreign = try createGroup("x", app: "b")
    #expect(problem { () throws(Problem) in _ = try createGroup("y", parent: foreign) }?.code == .unknownGroup)
    #expect(problem { () throws(Problem) in _ = try createGroup("y", parent: 999) }?.code == .unknownGroup)
  }

  @Test func `names of groups have 1 to 256 bytes, without U+0000`() throws {
    try createApp("a")
    let longest = String(repeating: "n", count: 256)
    #expect(problem { () throws(Problem) in _ = try createGroup(longest) } == nil)
    #expect(problem { () throws(Problem) in _ = try createGroup(longest + "n") }?.fields.first?.pointer == "/name")
    #expect(problem { () throws(Problem) in _ = try createGroup("") }?.fields.first?.pointer == "/name")
    #expect(problem { () throws(Problem) in _ = try createGroup("a\u{0}b") }?.code == .malformed)
  }

  // MARK: Who may

  @Test(arguments: Role.allCases) func `only admins manage apps and keys`(role: Role) throws {
    let caller = Caller(role: role, app: nil, apiKey: 1)
    let expected: Problem.Code? = role == .admin ? nil : .forbidden
    #expect(problem { () throws(Problem) in try createApp(by: caller) }?.code == expected)
    #expect(
      problem { () throws(Problem) in
        _ = try Administration.createKey(.viewer, appID: nil, by: caller, on: connection)
      }?.code == expected)
    #expect(
      problem { () throws(Problem) in _ = try Administration.apps(for: caller, on: connection) }?.code == expected)
  }
}
