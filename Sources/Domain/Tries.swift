/// How often a delivery was tried, and whether one of these tries may have reached the device although nobody knows.
///
/// The doubt outlives whoever had it: what may have arrived is never called cancelled, by whichever node and however much
/// later. It travels with the number, in one column: negative while in doubt, and never 0 then. Decision 059.
package struct Tries: Equatable, Sendable, ExpressibleByIntegerLiteral {
  package let count: Int16
  package let mayHaveArrived: Bool

  package init(_ count: Int16, mayHaveArrived: Bool = false) {
    self.count = mayHaveArrived ? max(1, count) : count
    self.mayHaveArrived = mayHaveArrived
  }

  package init(integerLiteral count: Int16) {
    self.init(count)
  }

  /// As stored with a delivery that is under way.
  package init(stored: Int16) {
    self.init(stored.magnitude > Int16.max ? .max : abs(stored), mayHaveArrived: stored < 0)
  }

  package var stored: Int16 { mayHaveArrived ? -count : count }

  /// After one more that was answered.
  package var next: Tries { Tries(count &+ 1, mayHaveArrived: mayHaveArrived) }

  /// The same number, one of which was never answered.
  package var inDoubt: Tries { Tries(count, mayHaveArrived: true) }
}
