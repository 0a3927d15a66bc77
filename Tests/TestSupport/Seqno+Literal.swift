import Domain
import Store

/// Tests name messages by numbers.
extension Seqno: ExpressibleByIntegerLiteral {
  /// Creates the number that is written.
  public init(integerLiteral number: Int64) { self.init(number) }
}

extension ClaimID: ExpressibleByIntegerLiteral {
  /// Creates the number that is written.
  public init(integerLiteral number: Int64) { self.init(number) }
}
