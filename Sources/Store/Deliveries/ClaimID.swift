package import Postgres

/// The number of a claim.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number that the `claim` columns hold.
  package let number: Int64

  @inlinable package init(_ number: Int64) { self.number = number }

  /// Lower than the number of every claim.
  package static let zero = ClaimID(0)

  @inlinable package static func < (left: ClaimID, right: ClaimID) -> Bool { left.number < right.number }

  package var description: String { String(number) }
}

extension ClaimID: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.append(value?.number)
  }
}

extension Int64Column {
  package mutating func append(_ claim: ClaimID) {
    append(claim.number)
  }
}

extension RowReader {
  package mutating func claim() -> ClaimID { ClaimID(int64()) }
}
