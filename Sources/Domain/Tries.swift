/// Number of attempts of a delivery, and whether one of them may have reached the device without confirmation.
///
/// The doubt is stored, because a delivery that may have arrived must never be recorded as cancelled, by any node,
/// however much later. Count and doubt share one column: a negative number means doubt, and is then never 0. Decision
/// 059.
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

  /// Decodes the stored column: the absolute value is the count, and a negative one means doubt.
  package init(stored: Int16) {
    self.init(stored.magnitude > Int16.max ? .max : abs(stored), mayHaveArrived: stored < 0)
  }

  package var stored: Int16 { mayHaveArrived ? -count : count }

  /// The state after another attempt that was answered: an earlier doubt remains.
  package var next: Tries { Tries(count &+ 1, mayHaveArrived: mayHaveArrived) }

  /// The same count, with one attempt that was never answered.
  package var inDoubt: Tries { Tries(count, mayHaveArrived: true) }
}
