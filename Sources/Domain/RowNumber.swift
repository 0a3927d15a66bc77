/// A number that the database gives the rows of one table in ascending order, as a type of its own, so that a message's
/// number cannot be passed for a claim's.
package protocol RowNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number that the column holds.
  var number: Int64 { get }

  init(_ number: Int64)
}

extension RowNumber {
  /// Lower than the number of every row: where a walk over all rows begins.
  package static var zero: Self { Self(0) }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { String(number) }
}
