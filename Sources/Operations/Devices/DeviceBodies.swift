internal import Domain

/// How much a device may bring. Anybody can knock at its doors, so what they take is what a call legitimately carries, and
/// a longer body is refused before it is awaited.
extension Operations.Limits {
  /// Body of a device's call, in bytes: a registration with every member at its limit has 5,000, and six times that when
  /// each character is written as `\uXXXX`.
  package static let deviceCallBytes = 32_768
  /// Body of a device's message: the largest payload, each byte of it written as `\uXXXX`, twice over.
  package static let deviceMessageBytes = 65_536
  /// Body of receipts or reads: as many as one call may confirm, each with the longest token and room for blanks.
  package static let confirmationBytes = Domain.Limits.confirmationsPerCall * 1_280
}
