internal import Domain

/// Size limits for devices' requests. Anyone can send to these endpoints, so the limits cover what a call legitimately
/// carries; a longer body is refused before it is read.
extension Operations.Limits {
  /// Body of a device's call, in bytes: a registration with every member at its limit has 5,000, and six times that if
  /// each character is written as `\uXXXX`.
  package static let deviceCallBytes = 32_768
  /// Body of a device's message, in bytes: the largest payload with each byte written as `\uXXXX`, twice over.
  package static let deviceMessageBytes = 65_536
  /// Body of receipts or reads, in bytes: the maximum of confirmations per call, each with the longest token and room
  /// for blanks.
  package static let confirmationBytes = Domain.Limits.confirmationsPerCall * 1_280
}
