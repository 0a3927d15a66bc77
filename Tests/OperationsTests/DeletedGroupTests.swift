import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Operations

/// A group that is deleted while users join it.
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
}
