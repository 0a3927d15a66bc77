internal import Reactor
internal import Store

/// Ended deliveries that wait until most of their block can be written at once: writing a block costs the same for one
/// device as for all.
///
/// These deliveries have been answered, so they take no room in the window. A crash leaves them in doubt, as it does
/// those not answered yet. Decision 005.
struct BlockAnswers<Answer> {
  /// Maximum time an answer waits for the rest of its block.
  private let timeout: Duration
  /// A block is written once at most one in this many of its devices is missing.
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

  /// When the block that has waited longest is due; nil if none waits.
  var nextDue: Instant? {
    blocks.values.map(\.since).min().map { $0 + timeout }
  }

  /// Removes and returns the answers whose block is due.
  /// - Parameter open: devices of a claim whose outcome is not written, including those waiting here.
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

  /// Removes and returns all answers; the node is stopping.
  mutating func takeAll() -> [Answer] {
    defer { blocks = [:] }
    return blocks.values.flatMap(\.answers)
  }
}
