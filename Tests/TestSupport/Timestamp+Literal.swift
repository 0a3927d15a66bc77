import Time

/// Tests write times as microseconds since 1970.
extension Timestamp: ExpressibleByIntegerLiteral {
  /// Creates the time that is written.
  public init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }
}
