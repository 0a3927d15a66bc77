import Foundation

/// A process's boundary counters, and the action to take at one of them: a memory page shared with the process.
final class BoundaryPage {
  /// The action; the raw values are the library's.
  enum Way: Int64, CaseIterable {
    case killBefore, killAfter, cutBefore, cutAfter, postgresBefore, postgresAfter

    var name: String {
      switch self {
      case .killBefore: "server killed before"
      case .killAfter: "server killed after"
      case .cutBefore: "connection cut before"
      case .cutAfter: "connection cut after"
      case .postgresBefore: "PostgreSQL killed before"
      case .postgresAfter: "PostgreSQL killed after"
      }
    }
  }

  /// Kinds of boundaries, in the order of the library's counters.
  static let kinds = [
    "answers of the database", "statements", "answers of the network", "frames to the network", "requests of clients",
    "answers to clients", "answers of webhooks", "events to webhooks",
  ]

  private enum Word: Int { case counting, reached, target, way, victim, fired, counts }
  private static let size = (Word.counts.rawValue + kinds.count) * 8

  let file: String
  private let words: UnsafeMutablePointer<Int64>

  init(file: String) throws {
    self.file = file
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0, ftruncate(descriptor, off_t(Self.size)) == 0,
      let found = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), found != MAP_FAILED
    else { throw Trouble("cannot make \(file): error \(errno)") }
    close(descriptor)
    words = found.assumingMemoryBound(to: Int64.self)
  }

  deinit { munmap(words, Self.size) }

  private subscript(word: Word) -> Int64 {
    get { words[word.rawValue] }
    set { words[word.rawValue] = newValue }
  }

  /// Restarts the count at one and acts at the boundary with this number; nil: only counts.
  func arm(_ number: Int64?, _ way: Way, victim: Int32) {
    self[.counting] = 0
    for index in 0..<Self.kinds.count { words[Word.counts.rawValue + index] = 0 }
    (self[.reached], self[.target], self[.way]) = (0, number ?? 0, way.rawValue)
    (self[.victim], self[.fired]) = (Int64(victim), 0)
    self[.counting] = 1
  }

  func rest() { self[.counting] = 0 }

  var reached: Int64 { self[.reached] }

  /// The kind of boundary at which the action was taken; nil: that boundary was not reached.
  var fired: String? { self[.fired] > 0 ? Self.kinds[Int(self[.fired] - 1)] : nil }

  var counts: [Int64] { (0..<Self.kinds.count).map { words[Word.counts.rawValue + $0] } }
}
