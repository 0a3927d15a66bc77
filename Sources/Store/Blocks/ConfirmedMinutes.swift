internal import Time

/// The times at which a block's deliveries were received, or read, as stored in `block_confirmations`: two bytes per
/// position, big-endian; 0 for an unconfirmed delivery, otherwise 1 plus the whole minutes since `sentAt`.
struct ConfirmedMinutes {
  private(set) var bytes: [UInt8]
  /// The time from which the minutes are counted: not later than when the message was sent.
  let sentAt: Timestamp

  /// Creates the times of a block without confirmations.
  init(devices: Int, sentAt: Timestamp) {
    bytes = [UInt8](repeating: 0, count: 2 * devices)
    self.sentAt = sentAt
  }

  init(bytes: [UInt8], sentAt: Timestamp) {
    self.bytes = bytes
    self.sentAt = sentAt
  }

  /// Records that the delivery at a position was confirmed, unless it was confirmed before.
  /// - Parameter seconds: time of the confirmation in seconds since 1970; clamped to the 45.5 days after `sentAt`.
  /// - Returns: true if the confirmation was recorded; false also for a position that does not exist.
  mutating func note(_ position: Int, at seconds: UInt32) -> Bool {
    guard 2 * position + 1 < bytes.count, bytes[2 * position] == 0, bytes[2 * position + 1] == 0 else { return false }
    // Clamp the value: even with a very wrong clock, it must not be 0, which means unconfirmed.
    let passed = (Timestamp(seconds: Int64(seconds)) - sentAt).microseconds / 60_000_000
    let minutes = max(0, min(Int64(UInt16.max) - 1, passed)) + 1
    bytes[2 * position] = UInt8(minutes >> 8)
    bytes[2 * position + 1] = UInt8(minutes & 0xFF)
    return true
  }
}
