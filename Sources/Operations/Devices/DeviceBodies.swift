internal import Domain

/// Size limits for devices' requests. Anyone can send to these endpoints, so the limits cover what a call legitimately
/// carries; a longer body is refused before it is read.
extension Operations.Limits {
  /// Maximum body of a device's call, in bytes. A registration with all members at their limits has about 5,000, and
  /// six times that if each character is written as `\uXXXX`.
  package static let deviceCallBytes = 32_768
  /// Maximum body of a device's message, in bytes: more than twice the largest payload with each byte written as
  /// `\uXXXX`.
  package static let deviceMessageBytes = 65_536
  /// Maximum body of receipts or reads, in bytes: as many confirmations as one call can contain, each with the longest
  /// token and some blanks.
  package static let confirmationBytes = Domain.Limits.confirmationsPerCall * 1_280
}
