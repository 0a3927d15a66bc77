internal import Logging
internal import Reactor
internal import Synchronization

/// Suppresses log lines that every thread repeats while a fault lasts. It writes the first line at once, then one per
/// minute with the number of suppressed lines. Decision 118.
final class RepeatedLines: Sendable {
  enum Judgement: Equatable {
    /// Write the line; the value is the number of equal lines suppressed since it was last written.
    case write(repeated: Int)
    case hold
  }

  private struct Entry {
    var writtenAt: Instant
    var held = 0
    /// The time at which the fault ended; nil while it lasts.
    var endedAt: Instant?
  }

  private enum Limits {
    static let pause: Duration = .seconds(60)
    /// Time after the end of a fault for which threads that have not tried again may still log it.
    static let echo: Duration = .seconds(2)
    /// Maximum number of different lines that are remembered.
    static let lines = 256
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Records the end of a fault, so that its next occurrence is written at once. Returns how many of its lines were
  /// suppressed since the last one written; nil if none was written.
  func end(_ fault: String, at now: Instant) -> Int? {
    entries.withLock { entries in
      guard let entry = entries[fault], entry.endedAt == nil else { return nil }
      entries[fault]?.endedAt = now
      return entry.held
    }
  }

  /// Decides whether to write a line.
  /// - Parameter line: the line without its time and label, or the name of a fault.
  func judge(_ line: String, at now: Instant) -> Judgement {
    entries.withLock { entries in
      if let entry = entries[line], let endedAt = entry.endedAt {
        guard now - endedAt >= Limits.echo else { return .hold }
        entries[line] = Entry(writtenAt: now)
        return .write(repeated: 0)
      }
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
