/// When the deliveries of a block were received, or read: two bytes per place, as stored in `block_confirmations`.
struct ConfirmedMinutes {
  private(set) var bytes: [UInt8]
  /// The origin of the minutes: the message was not sent before. In microseconds since 1970.
  let sentAt: Int64

  /// For a block without confirmations.
  init(devices: Int, sentAt: Int64) {
    bytes = [UInt8](repeating: 0, count: 2 * devices)
    self.sentAt = sentAt
  }

  init(bytes: [UInt8], sentAt: Int64) {
    self.bytes = bytes
    self.sentAt = sentAt
  }

  /// Records that a place was confirmed, unless it was before.
  /// - Parameter seconds: when, in seconds since 1970.
  /// - Returns: whether it is new; false also for a place that does not exist.
  mutating func note(_ position: Int, at seconds: UInt32) -> Bool {
    guard 2 * position + 1 < bytes.count, bytes[2 * position] == 0, bytes[2 * position + 1] == 0 else { return false }
    // Clamped: a clock that is weeks off must not yield a time before sending, or 0, which means unconfirmed.
    let minutes = max(0, min(Int64(UInt16.max) - 1, (Int64(seconds) * 1_000_000 - sentAt) / 60_000_000)) + 1
    bytes[2 * position] = UInt8(minutes >> 8)
    bytes[2 * position + 1] = UInt8(minutes & 0xFF)
    return true
  }
}
