/// How often a delivery was tried, and whether one of the tries may have reached the device without our knowing.
///
/// The doubt outlives the node that had it: a delivery that may have arrived is never recorded as cancelled, by any
/// node, however much later. It is stored with the count in one column: negative while in doubt, and then never 0.
/// Decision 059.
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

  /// Decodes the column of a delivery in progress.
  package init(stored: Int16) {
    self.init(stored.magnitude > Int16.max ? .max : abs(stored), mayHaveArrived: stored < 0)
  }

  package var stored: Int16 { mayHaveArrived ? -count : count }

  /// After one more try that was answered.
  package var next: Tries { Tries(count &+ 1, mayHaveArrived: mayHaveArrived) }

  /// The same count, with one try that was never answered.
  package var inDoubt: Tries { Tries(count, mayHaveArrived: true) }
}
