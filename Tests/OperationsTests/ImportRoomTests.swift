import Domain
import Postgres
import Store
import TestSupport
import Testing

@testable import Operations

/// What an app's unfinished imports may store.
@Suite struct ImportRoomTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private func begin() throws -> Imports.Number {
    var new = ImportService.New()
    new.appID = world.app.appID
    new.skipsErrors = false
    return try ImportService.begin(new, by: .commandLine, on: world.connection).number
  }

  private func take(_ text: String, _ part: Int32, of number: Imports.Number, last: Bool = false) throws -> String {
    let part = ImportPart(number: part, bytes: Array(text.utf8), isLast: last)
    return try ImportService.take(part, of: number, by: .commandLine, on: world.connection, now: 0).state
  }

  @Test func `an app's imports store so many parts, and no more until one of them is finished`() throws {
    let (first, second, other) = (try begin(), try begin(), try begin())
    // Room is left for two parts.
    try world.connection.script(
      """
      INSERT INTO import_parts (import, part, lines)
      SELECT \(other), n, 'x' FROM generate_series(1, \(Operations.Limits.importPartsOfApp - 2)) n
      """)
    #expect(try take("clientUid\nkim\n", 1, of: first) == "open")
    #expect(try take("clientUid\nlee\n", 1, of: second) == "open")
    let refused = try #require(throws: Problem.self) { try take("park\n", 2, of: second) }
    #expect(refused.code == .conflict && refused.detail.contains("2048 parts of at most 2048"), "\(refused)")
    #expect(refused.detail.contains("Finish or cancel some of them"), "\(refused)")
    #expect(try world.count("SELECT parts::bigint FROM imports WHERE import = \(second)") == 1)
    // What is stored already may be repeated, and the last part is not stored.
    #expect(try take("clientUid\nlee\n", 1, of: second) == "open")
    #expect(try take("choi\n", 2, of: first, last: true) == "finished")
    #expect(try take("park\n", 2, of: second) == "open")
    #expect(try take("jung\n", 3, of: second, last: true) == "finished")
    _ = try ImportService.cancel(other, by: .commandLine, on: world.connection)
    #expect(try world.connection.run(Imports.storedParts(of: 1)) == 0)
    #expect(try world.count("SELECT count(*) FROM users") == 5)
  }
}
