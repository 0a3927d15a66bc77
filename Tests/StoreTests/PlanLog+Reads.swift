import Postgres
import TestSupport
import Testing

/// Checks what the statements of one session have read. The log belongs to the whole server, which other tests use too.
extension PlanLog {
  /// Records an issue for each statement that looked at more than `most` rows, and one if no statement was logged.
  /// - Parameter words: part of the statements to check; nil for all.
  /// - Returns: the statements checked.
  @discardableResult
  func expectReads(
    atMost most: Int, by session: Connection, in words: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Entry] {
    let checked = try entries().filter { entry in
      entry.process == session.backendPID && words.map { entry.sql.contains($0) } ?? true
    }
    #expect(!checked.isEmpty, "nothing was explained", sourceLocation: sourceLocation)
    for entry in checked where entry.rows > most {
      Issue.record(
        "\(entry.rows) rows: \(entry.sql)\n\(entry.parts.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
    return checked
  }
}
