import Domain
import Postgres
import Store
import TestSupport
import Testing

@testable import Operations

/// Imports that are ended before their last part.
@Suite struct CancelledImportTests {
  private let world: BatchWorld

  init() throws {
    world = try BatchWorld()
  }

  private func begin(skipsErrors: Bool = true) throws -> Imports.Number {
    var new = ImportService.New()
    new.appID = world.app.appID
    new.skipsErrors = skipsErrors
    return try ImportService.begin(new, by: .commandLine, on: world.connection).number
  }

  private func take(
    _ text: String, _ part: Int32, of number: Imports.Number, last: Bool = false
  ) throws(Problem) -> ImportService.Entry {
    let part = ImportPart(number: part, bytes: Array(text.utf8), isLast: last)
    return try ImportService.take(part, of: number, by: .commandLine, on: world.connection, now: 0)
  }

  private func cancel(_ number: Imports.Number) throws(Problem) -> ImportService.Entry {
    try ImportService.cancel(number, by: .commandLine, on: world.connection)
  }

  private func problem(_ body: () throws(Problem) -> Void) -> Problem? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `people imported before a cancellation stay and are counted, and no more are imported`() throws {
    let number = try begin()
    #expect(try take("clientUid\nkim\n,\nlee\npar", 1, of: number).state == "open")
    let ended = try cancel(number)
    #expect(ended.state == "cancelled" && ended.record.finishedAt != nil)
    #expect(ended.imported == 2 && ended.rejected == 1 && ended.lines == 3)
    for isLast in [false, true] {
      let refused = problem { () throws(Problem) in _ = try take("k\n", 2, of: number, last: isLast) }
      #expect(refused == Problem(.conflict, "The import \(number) is cancelled. Begin a new one."))
    }
    #expect(try world.count("SELECT count(*) FROM users") == 2)
    // Nothing is left of the unfinished last line.
    #expect(try world.count("SELECT count(*) FROM imports WHERE rest <> ''") == 0)
    #expect(
      try world.count(
        "SELECT count(*) FROM audit_log WHERE action = 'import.cancel' AND after->>'imported' = '2'") == 1)
  }

  @Test func `cancelling an import that skips no errors leaves no people and no parts`() throws {
    let number = try begin(skipsErrors: false)
    _ = try take("clientUid\nkim\n", 1, of: number)
    #expect(try world.count("SELECT count(*) FROM import_parts") == 1)
    let ended = try cancel(number)
    #expect(ended.state == "cancelled" && ended.imported == 0)
    #expect(try world.count("SELECT count(*) FROM import_parts") == 0)
    #expect(try world.count("SELECT count(*) FROM users") == 0)
  }

  @Test func `cancelling an import again changes nothing, and a finished one stays finished`() throws {
    let number = try begin()
    let first = try cancel(number)
    #expect(try cancel(number).record.finishedAt == first.record.finishedAt)
    #expect(try world.count("SELECT count(*) FROM audit_log WHERE action = 'import.cancel'") == 1)
    let finished = try begin()
    _ = try take("clientUid\nkim\n", 1, of: finished, last: true)
    let refused = problem { () throws(Problem) in _ = try cancel(finished) }
    #expect(refused == Problem(.conflict, "The import \(finished) is finished."))
    #expect(try ImportService.show(finished, by: .commandLine, on: world.connection).state == "finished")
    #expect(problem { () throws(Problem) in _ = try cancel(99) }?.code == .notFound)
  }
}
