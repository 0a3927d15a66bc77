internal import Domain
package import Postgres

/// The number of a claim.
package struct ClaimID: RowNumber {
  package let number: Int64

  package init(_ number: Int64) { self.number = number }
}

extension ClaimID: NullableParameterValue {}

extension RowReader {
  package mutating func claim() -> ClaimID { ClaimID(int64()) }
}
