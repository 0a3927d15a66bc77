internal import Reactor
internal import Store

/// Deliveries that have ended, and wait until most of their block can be written in one go: writing a block costs the same for
/// one of its devices as for all.
///
/// What waits here has been answered, so it takes no room in the window; a crash makes it doubtful like what was not
/// answered yet.
struct BlockAnswers<Answer> {
  /// Longest wait of an answer for others of its block.
  private let timeout: Duration
  /// A block is written when no more than one in so many of its devices is missing.
  private static var missingPart: Int { 20 }

  private struct Block {
    let since: Instant
    var answers: [Answer]
  }

  private var blocks: [Claims.Hold: Block] = [:]

  init(timeout: Duration) {
    self.timeout = timeout
  }

  var isEmpty: Bool { blocks.isEmpty }

  mutating func add(_ answer: Answer, to claim: Claims.Hold, at now: Instant) {
    if blocks[claim]?.answers.append(answer) == nil { blocks[claim] = Block(since: now, answers: [answer]) }
  }

  /// When the one that has waited longest is due; nil: none waits.
  var nextDue: Instant? {
    blocks.values.map(\.since).min().map { $0 + timeout }
  }

  /// Those whose turn it is to be written.
  /// - Parameter open: devices of a claim whose end is not written, those that wait here among them.
  mutating func takeDue(at now: Instant, open: (Claims.Hold) -> Int) -> [Answer] {
    var due: [Answer] = []
    for (claim, block) in blocks {
      let missing = open(claim) - block.answers.count
      guard missing * Self.missingPart <= block.answers.count || now - block.since >= timeout else { continue }
      due += block.answers
      blocks[claim] = nil
    }
    return due
  }

  /// All of them: the node ends.
  mutating func takeAll() -> [Answer] {
    defer { blocks = [:] }
    return blocks.values.flatMap(\.answers)
  }
}
