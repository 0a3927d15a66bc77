import Maintenance
import Foundation
import Operations
import Postgres
import Reactor
import Server
import Store
import TestSupport
import TestTier
import Testing
import Time

/// A backup taken in the middle of the work, brought back into an empty database, and served from.
@Suite(.slow, .serialized) struct BackupTests {
  private let directory = TemporaryDirectory.make()
  private var file: String { directory + "/backup.dump" }

  private static func number(_ sql: String, _ connection: Connection) throws -> Int64 {
    try connection.run(Statement("backup-\(sql.hashValue)", sql)).int64(0, 0)
  }

  private static func users(_ numbers: ClosedRange<Int>) -> String {
    "[" + numbers.map { "\"u\($0)\"" }.joined(separator: ",") + "]"
  }

  private static func token(_ number: Int) -> String { String(repeating: "\(number)", count: 64) }

  private func world() throws -> World {
    let world = try World()
    for number in 1...6 {
      #expect(try world.register("d\(number)", token: Self.token(number), user: "u\(number)").status == 201)
    }
    return world
  }

  private func restore(into database: TestDatabase) throws -> Restoration.Settled {
    try Restore.bring(
      file, into: database.url, migrations: TestDatabase.migrationsDirectory, report: { _ in })
  }

  @Test func `nothing that was answered before is lost, and nothing goes out twice`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    let done = try world.send(#"{"clientUids":\#(Self.users(1...6))}"#, #","badge":{"increment":1}"#)
    #expect(try world.finished(done).int("accepted") == 6)
    #expect(try world.receipt(done, Self.token(1)).status == 200)
    #expect(try world.read(done, Self.token(2)).status == 200)
    let slow = try world.send(
      #"{"clientUids":\#(Self.users(1...6))}"#, #","pace":{"devices":1,"wait":"PT1H"}"#)
    _ = try poll("nothing went out") { try world.funnel(slow).int("accepted") ?? 0 > 0 ? true : nil }
    let bytes = try Backup.take(file, of: world.database.url)
    #expect(bytes > 10_000)
    // The server goes on: the rest of the slow one, and a message that the backup has never heard of.
    let later = try world.send(#"{"clientUids":["u1"]}"#)
    #expect(try world.finished(later).int("accepted") == 1)
    #expect(try world.setPace(slow, "null").status == 200)
    #expect(try world.finished(slow).int("accepted") == 6)

    let database = try TestDatabase.makeEmpty()
    let settled = try restore(into: database)
    #expect(settled.pausedMessages == 1 && settled.pausedApps == 0)
    let connection = try database.connect()
    let restored = try Server(
      try World.configuration(world.started), databaseURL: database.url,
      master: try World.master)
    defer { restored.stop() }
    let client = try TestClient(port: restored.address.port)
    func funnel(_ seqno: String) throws -> Reply {
      try client.call("GET", "/v1/admin/messages/\(seqno)", bearer: world.apiKey)
    }

    // What was done is there, to the badge; keys and credentials work.
    let old = try funnel(done)
    #expect(old.string("state") == "completed" && old.int("accepted") == 6 && old.int("received") == 2, "\(old.text)")
    #expect(old.int("read") == 1)
    #expect(try Self.number("SELECT sum(badge)::bigint FROM users", connection) == 5)
    #expect(try Self.number("SELECT count(*) FROM devices", connection) == 6)
    // What was not over waits, and is explained.
    let waiting = try funnel(slow)
    #expect(waiting.string("state") == "paused", "\(waiting.text)")
    #expect(waiting.text.contains("Restored from a backup"), "\(waiting.text)")
    // Numbers go on above all that were given, also after the backup.
    let sent = try client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["u1"]},"alert":"B"}"#)
    #expect(sent.status == 202, "\(sent.text)")
    let seqno = try #require(sent.string("seqno"))
    #expect(try #require(Int(seqno)) > Restore.seqnosAhead)
    _ = try poll("the new message has not ended") {
      try funnel(seqno).string("state") == "completed" ? true : nil
    }
    // Nobody got the slow one twice, though the backup shows it half done.
    for number in 1...6 {
      let seqnos = try world.payloads(Self.token(number)).compactMap {
        ($0["mps"] as? [String: Any])?["seqno"] as? String
      }
      #expect(seqnos.count { $0 == slow } == 1, "\(number): \(seqnos)")
      #expect(Set(seqnos).count == seqnos.count)
    }
    for question in Invariants.all { #expect(try connection.run(question.broken) == 0, "\(question.promise)") }
    // An operator ends it, with an exact account.
    #expect(try client.call("POST", "/v1/admin/messages/\(slow)/cancel", bearer: world.apiKey).status == 200)
    let ended = try poll("the slow one is not cancelled") {
      let reply = try funnel(slow)
      return reply.string("state") == "cancelled" ? reply : nil
    }
    let parts = ["pending", "accepted", "rejected", "expired", "cancelled", "skipped"]
    #expect(ended.int("targeted") == parts.reduce(0) { $0 + (ended.int($1) ?? 0) }, "\(ended.text)")
  }

  @Test func `a scheduled message whose time came after the backup does not go out by itself`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    let database = try TestDatabase.makeEmpty()
    let tomorrow = (SystemClock().wallTime + .seconds(86_400)).description
    let seqno = try world.send(#"{"clientUids":["u1"]}"#, #","sendAt":"\#(tomorrow)""#)
    _ = try Backup.take(file, of: world.database.url)
    // As if the backup were old: what was scheduled then is due by now.
    let settled = try restore(into: database)
    #expect(settled.pausedApps == 0)
    let connection = try database.connect()
    try connection.script("UPDATE messages SET due_at = now() - interval '1 minute' WHERE seqno = \(seqno)")
    #expect(try Restoration.settle(ahead: 1, on: connection).pausedApps == 1)
    #expect(try Self.number("SELECT count(*) FROM apps WHERE paused_reason LIKE 'Restored%'", connection) == 1)
  }

  @Test func `what is there is never written over`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    _ = try Backup.take(file, of: world.database.url)
    let twice = #expect(throws: CareError.self) { try Backup.take(file, of: world.database.url) }
    #expect(twice?.description.contains("is there already") == true)
    let full = #expect(throws: CareError.self) {
      try Restore.bring(file, into: world.database.url, migrations: TestDatabase.migrationsDirectory, report: { _ in })
    }
    #expect(full?.description.contains("is not empty") == true)
    let none = #expect(throws: CareError.self) {
      try Restore.bring(directory + "/nothing", into: world.database.url, migrations: nil, report: { _ in })
    }
    #expect(none?.description.contains("cannot be read") == true)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `two backups never share a file`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    let other = try FileLock(path: file + ".part")
    #expect(other.tryExclusive())
    let refusal = #expect(throws: CareError.self) { try Backup.take(file, of: world.database.url) }
    #expect(refusal?.description.contains("Another backup is writing") == true)
    // Once that one has been killed, what it left is in nobody's way.
    other.unlock()
    #expect(try Backup.take(file, of: world.database.url) > 0)
    #expect(!FileManager.default.fileExists(atPath: file + ".part"))
  }

  @Test func `a restore that was cut off is not served from, and goes on when it is run again`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    _ = try Backup.take(file, of: world.database.url)
    let database = try TestDatabase.makeEmpty()
    _ = try restore(into: database)
    let connection = try database.connect()
    // As after a crash between the last row and the settling.
    try Restoration.begin(Restore.name(of: file), on: connection)
    var configuration = Configuration()
    configuration.databaseURL = database.url
    configuration.migrationsDirectory = TestDatabase.migrationsDirectory
    let found = try Database(configuration)
    let refusal = #expect(throws: ServerError.self) { try found.migrate(configuration) }
    #expect(refusal?.description.contains("upmc restore") == true)
    // Another backup is not taken for the one that is there.
    let other = directory + "/other"
    _ = try Backup.take(other, of: world.database.url)
    let stranger = #expect(throws: CareError.self) {
      try Restore.bring(other, into: database.url, migrations: TestDatabase.migrationsDirectory, report: { _ in })
    }
    #expect(stranger?.description.contains("whose restore was interrupted") == true)
    _ = try restore(into: database)
    try found.migrate(configuration)
    #expect(try Self.number("SELECT count(*) FROM devices", connection) == 6)
  }

  @Test func `a file that is no backup leaves an empty database that can be restored into`() throws {
    defer { TemporaryDirectory.remove(directory) }
    let world = try world()
    let database = try TestDatabase.makeEmpty()
    TemporaryDirectory.write(file, "not a backup")
    let refusal = #expect(throws: CareError.self) { try restore(into: database) }
    #expect(refusal?.description.contains("pg_restore failed") == true, "\(refusal?.description ?? "")")
    TemporaryDirectory.remove(file)
    _ = try Backup.take(file, of: world.database.url)
    _ = try restore(into: database)
  }
}
