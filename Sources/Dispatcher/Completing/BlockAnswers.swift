internal import Reactor
internal import Store

/// A buffer of answered deliveries, which wait until most of their block can be written at once: writing a block's row
/// costs the same for one device as for all.
///
/// These deliveries no longer count as in flight. After a crash their outcome is unknown, like that of deliveries not
/// answered yet. Decision 005.
struct BlockAnswers<Answer> {
  /// Maximum time an answer waits for the rest of its block.
  private let timeout: Duration
  /// A block is due early once it has this many answers for each device that is not answered yet.
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

  /// When the timeout of the block that has waited longest ends; nil if none is waiting.
  var nextDue: Instant? {
    blocks.values.map(\.since).min().map { $0 + timeout }
  }

  /// Removes and returns the answers of blocks that are due: their timeout has ended, or nearly all of their devices
  /// are answered.
  /// - Parameter open: returns the number of the claim's devices whose outcome is not written yet, including those
  ///   buffered here.
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

  /// Removes and returns all answers, because the node is stopping.
  mutating func takeAll() -> [Answer] {
    defer { blocks = [:] }
    return blocks.values.flatMap(\.answers)
  }
}
