import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Operations

/// A group that is deleted while users join it, or while messages name it.
@Suite struct DeletedGroupTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
    try world.connection.script("INSERT INTO groups (app, name) VALUES (1, 'News')")
  }

  /// Does `work` on a thread and a connection of its own, and `meanwhile` in a transaction that it waits for.
  private func run<Value: Sendable>(
    _ work: @escaping @Sendable (Connection) -> Value, waitingFor before: () throws -> Void,
    meanwhile: () throws -> Void
  ) throws -> Value {
    let done = try Inbox<Value?>(capacity: 1)
    let url = world.databaseURL
    try world.connection.withTransaction {
      try world.connection.script("SET LOCAL idle_in_transaction_session_timeout = 0")
      try before()
      _ = try Thread(name: "meanwhile") {
        let connection = try? TestDatabase.connect(to: url)
        _ = done.offer(connection.map { work($0) })
      }
      let watcher = try TestDatabase.connect(to: url)
      _ = try poll("nothing waits") { try watcher.waitingSessions() > 0 || done.count > 0 ? true : nil }
      #expect(done.count == 0, "it did not wait")
      try meanwhile()
    }
    return try #require(done.receive(atMost: .patience).first ?? nil)
  }

  @Test(arguments: [true, false])
  func `lines that name a group deleted after they were judged are wrong, and nobody joins it`(
    _ skipsErrors: Bool
  ) throws {
    var new = ImportService.New()
    new.appID = world.app.appID
    new.skipsErrors = skipsErrors
    _ = try ImportService.begin(new, by: .commandLine, on: world.connection)
    let part = ImportPart(number: 1, bytes: Array("clientUid,groupSeqs\nkim,1\nlee,\n".utf8), isLast: true)
    let rejected = try run(
      { connection in
        let entry = try? ImportService.take(part, of: 1, by: .commandLine, on: connection, now: 0)
        return entry?.record.rejected ?? -1
      },
      waitingFor: { try world.connection.script("SELECT FROM imports FOR UPDATE") },
      meanwhile: { try world.connection.script("DELETE FROM groups") })
    #expect(rejected == 1)
    #expect(try world.count("SELECT count(*) FROM group_members") == 0)
    #expect(try world.count("SELECT count(*) FROM users") == (skipsErrors ? 1 : 0))
  }

  @Test func `a group is deleted together with those who are just joining it`() throws {
    let kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    let isDeleted = try run(
      { connection in (try? GroupService.delete(1, by: .commandLine, on: connection)) != nil },
      waitingFor: {
        #expect(try world.connection.run(Groups.hold([1, 2])) == [1])
        try world.connection.run(Groups.join([Groups.Membership(user: kim, group: 1)], at: world.now))
      }, meanwhile: {})
    #expect(isDeleted)
    #expect(try world.count("SELECT count(*) FROM group_members") == 0)
    #expect(try world.count("SELECT count(*) FROM groups") == 0)
  }

  @Test func `a large group is deleted at once, and retention deletes the rest of its members`() throws {
    let members = GroupTree.deletedMembers + 5
    try world.connection.script(
      """
      INSERT INTO users (app, user_key) VALUES (1, 'u1');
      INSERT INTO group_members (app, user_key, groupseq, joined_at)
      SELECT 1, 'u' || n, 1, now() FROM generate_series(1, \(members)) n;
      INSERT INTO groups (app, name) VALUES (1, 'Others');
      INSERT INTO group_members (app, user_key, groupseq, joined_at) VALUES (1, 'u1', 2, now())
      """)
    #expect(refusal() == nil)
    #expect(try world.count("SELECT count(*) FROM groups") == 1)
    #expect(try world.count("SELECT count(*) FROM group_members WHERE groupseq = 1") == 5)
    let audited = "SELECT count(*) FROM audit_log WHERE action = 'group.delete' AND before->>'members' = '\(members)'"
    #expect(try world.count(audited) == 1)
    // Whoever is left of it belongs to it no longer, also where all groups of a user are told.
    try world.connection.script(
      """
      INSERT INTO group_members (app, user_key, groupseq, joined_at) VALUES (1, 'u1', 1, now()) ON CONFLICT DO NOTHING
      """)
    let lines = try world.connection.run(ImportedPeople.lines(of: 1, after: "", from: "u", upto: "v", limit: 10))
    #expect(lines.map(\.groups) == ["2"])
    for query in Retention.prune(atMost: 100) { _ = try world.connection.run(query) }
    #expect(try world.count("SELECT count(*) FROM group_members WHERE groupseq = 1") == 0)
    #expect(try world.count("SELECT count(*) FROM group_members") == 1)
  }

  // MARK: Messages that still need it

  private static let time = #""alert":"hi","sendAt":"2027-01-16T08:00:00Z""#
  private static let needed: Sentence = """
    Unfinished messages name the group 1 or one above it in their audience: 1. Cancel or replace them, or wait until \
    they are sent.
    """

  private func refusal(of group: Groups.Number = 1) -> Problem? {
    do throws(Problem) {
      try GroupService.delete(group, by: .commandLine, on: world.connection)
      return nil
    } catch {
      return error
    }
  }

  private func refusalToMove(_ group: Groups.Number, to parent: Groups.Number?) -> Problem? {
    var change = GroupService.Change()
    change.parent = .some(parent)
    do throws(Problem) {
      _ = try GroupService.change(group, change, by: .commandLine, on: world.connection)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (#"{"groups":[1]}"#, time), (#"{"groups":["1"]}"#, #""alert":"hi""#),
    (#"{"groups":["2","1"]}"#, #"\#(time),"repeat":{"every":"week","until":"2027-03-01"}"#),
    (#"{"segment":{"groups":["1"]}}"#, time), (#"{"segment":{"any":[{"member":true},{"not":{"groups":[1]}}]}}"#, time),
  ])
  func `a group that a message still to be sent names is not deleted, and the refusal names the message`(
    audience: String, members: String
  ) throws {
    try world.populate()
    _ = try world.send(world.request(audience, members))
    #expect(refusal() == Problem(.conflict, Self.needed))
    #expect(try world.count("SELECT count(*) FROM groups") == 1)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'group.delete'") == 0)
    try world.connection.script("UPDATE messages SET state = 5, finished_at = now(), cancelled_at = now()")
    #expect(refusal() == nil)
    #expect(try world.count("SELECT count(*) FROM groups") == 0)
  }

  @Test(arguments: [#"{"groups":["1"]}"#, #"{"segment":{"any":[{"member":true},{"not":{"groups":[1]}}]}}"#])
  func `a group with members stays below one that a message still to be sent names`(audience: String) throws {
    try world.populate()
    try world.connection.script(
      "INSERT INTO groups (app, name, parent) VALUES (1, 'VIP', 1), (1, 'Gold', 2), (1, 'Others', NULL)")
    let kim = Users.Key(app: world.app.number, userKey: UserKey(clientUID: "kim"))
    let membership = Groups.Membership(user: kim, group: 3)
    try world.connection.run(Groups.join([membership], at: world.now))
    _ = try world.send(world.request(audience, Self.time))
    let needed: Sentence = """
      Unfinished messages name the group 3 or one above it in their audience: 1. Cancel or replace them, or wait until \
      they are sent.
      """
    #expect(refusal(of: 3) == Problem(.conflict, needed))
    #expect(refusalToMove(3, to: nil) == Problem(.conflict, needed))
    #expect(refusalToMove(3, to: 4) == Problem(.conflict, needed))
    #expect(refusalToMove(2, to: 4)?.code == .conflict)
    // It stays below the group that is named, which may move itself.
    #expect(refusalToMove(3, to: 1) == nil)
    #expect(refusalToMove(1, to: 4) == nil)
    try world.connection.run(Groups.leave([membership]))
    #expect(refusal(of: 3) == nil)
  }

  @Test func `a message is stored before the deletion of its group, or waits for it`() throws {
    try world.populate()
    let (body, now) = (world.request(#"{"groups":["1"]}"#, Self.time), world.now)
    let isSent = try run(
      { connection in
        (try? SendService.send(
          SendRequest(body: body, idempotencyKey: nil, caller: .commandLine), on: connection, now: now)) != nil
      },
      waitingFor: { try world.connection.run(GroupTree.lock(1)) }, meanwhile: {})
    #expect(isSent)
    #expect(refusal() == Problem(.conflict, Self.needed))
  }

  @Test(arguments: [#"{"groups":["1"]}"#, #"{"segment":{"any":[{"member":true},{"not":{"groups":[1]}}]}}"#])
  func `a message is refused whose group is deleted before it is stored`(audience: String) throws {
    try world.populate()
    let (body, now) = (world.request(audience, Self.time), world.now)
    let isRefused = try run(
      { connection -> Bool in
        do throws(Problem) {
          _ = try SendService.send(
            SendRequest(body: body, idempotencyKey: nil, caller: .commandLine), on: connection, now: now)
          return false
        } catch {
          return error.code == .conflict
        }
      },
      waitingFor: { try world.connection.run(GroupTree.lock(1)) },
      meanwhile: { try world.connection.script("DELETE FROM groups") })
    #expect(isRefused)
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a group is needed until the last of its devices is claimed`() throws {
    try world.populate()
    _ = try world.send(world.request(#"{"groups":["1"]}"#))
    try world.connection.script(
      """
      UPDATE messages SET state = 2, held = 0, frozen_at = now(), planned = true;
      INSERT INTO shards (seqno, shard, after_key, upto_key, targeted) VALUES (1, 0, '', 'v', 1)
      """)
    #expect(refusal() == Problem(.conflict, Self.needed))
    try world.connection.script("UPDATE shards SET exhausted = true")
    #expect(refusal() == nil)
  }

  @Test func `a group that a request for approval names is not deleted until somebody decides`() throws {
    try world.connection.script(
      """
      INSERT INTO approvals (app, request, request_sha256, unknown_entries, account, requested_by, requested_at,
        ends_at)
      VALUES (1, '{"audience":{"groups":["1"]}}', '', '[]', 1, 'kim', now(), now() + interval '1 day')
      """)
    #expect(
      refusal()
        == Problem(
          .conflict,
          """
          Requests that wait for approval name the group 1 or one above it in their audience: 1. Approve or reject them \
          first.
          """))
    try world.connection.script("UPDATE approvals SET state = 3")
    #expect(refusal() == nil)
  }

  @Test(arguments: [#"{"groups":["11"]}"#, #"{"all":true}"#, #"{"segment":{"tags":{"any":["groups","1"]}}}"#])
  func `a message that does not name a group does not keep it`(audience: String) throws {
    try world.populate()
    _ = try world.send(world.request(audience, Self.time))
    #expect(refusal() == nil)
  }

  @Test func `a refusal names the first ten of many messages`() throws {
    try world.populate()
    for _ in 1...12 { _ = try world.send(world.request(#"{"groups":["1"]}"#, Self.time)) }
    #expect(refusal()?.detail.contains(": 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …. Cancel") == true)
  }
}
