internal import Logging
internal import Reactor
internal import Synchronization

/// Suppresses log lines that every thread repeats while a fault lasts. It writes the first line at once, then one a
/// minute with the number of suppressed lines. Decision 118.
final class RepeatedLines: Sendable {
  enum Judgement: Equatable {
    /// Write the line.
    /// - Parameter repeated: how many equal lines were suppressed since it was last written.
    case write(repeated: Int)
    case hold
  }

  private struct Entry {
    var writtenAt: Instant
    var held = 0
  }

  private enum Limits {
    static let pause: Duration = .seconds(60)
    /// Maximum number of different lines that are remembered.
    static let lines = 256
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Decides whether to write a line.
  /// - Parameter line: the line without its time and label.
  func judge(_ line: String, at now: Instant) -> Judgement {
    entries.withLock { entries in
      if let entry = entries[line] {
        guard now - entry.writtenAt >= Limits.pause else {
          entries[line]?.held += 1
          return .hold
        }
        entries[line] = Entry(writtenAt: now)
        return .write(repeated: entry.held)
      }
      if entries.count >= Limits.lines { entries = entries.filter { now - $0.value.writtenAt < Limits.pause } }
      // When too many different lines arrive within a minute, further ones are always written.
      if entries.count < Limits.lines { entries[line] = Entry(writtenAt: now) }
      return .write(repeated: 0)
    }
  }
}
