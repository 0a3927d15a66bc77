import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// Accepted deliveries wait for others of their block, and not for long.
@Suite struct BlockAnswersTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let claim = Claims.Hold(claim: 1)
  private var answers = BlockAnswers<Int>(timeout: .milliseconds(200))

  private mutating func add(_ positions: Range<Int>, to claim: ClaimID = 1, after milliseconds: Int64 = 0) {
    for position in positions {
      answers.add(position, to: Claims.Hold(claim: claim), at: start + .milliseconds(milliseconds))
    }
  }

  private mutating func due(_ open: Int, after milliseconds: Int64 = 0) -> [Int] {
    answers.takeDue(at: start + .milliseconds(milliseconds)) { _ in open }
  }

  @Test mutating func `a block is written when no more than one in twenty is missing`() {
    add(0..<95)
    #expect(due(100).isEmpty, "five of 95 are more than a twentieth")
    add(95..<96)
    #expect(due(100) == Array(0..<96) && answers.isEmpty && answers.nextDue == nil)
    add(96..<97)
    #expect(due(1) == [96], "the last one waits for nobody")
  }

  @Test mutating func `an answer waits a fifth of a second for the others at most`() {
    add(0..<1)
    add(1..<2, after: 30)
    add(7..<8, to: 2, after: 10)
    #expect(answers.nextDue == start + .milliseconds(200))
    #expect(due(100, after: 199).isEmpty)
    #expect(due(100, after: 200) == [0, 1])
    #expect(answers.nextDue == start + .milliseconds(210))
    #expect(answers.takeAll() == [7] && answers.isEmpty)
  }
}
