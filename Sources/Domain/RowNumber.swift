/// A number that the database gives the rows of one table in ascending order, as a type of its own, so that a message's
/// number cannot be passed for a claim's.
package protocol RowNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number as stored in the column.
  var number: Int64 { get }

  init(_ number: Int64)
}

extension RowNumber {
  /// A number below that of every row, to start reading all rows in ascending order.
  package static var zero: Self { Self(0) }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package var description: String { String(number) }
}
