/// Identifies a delivery of a campaign by its block and its position in the block. Sent to the device in the `pushkey`
/// and returned with its receipt, which therefore needs no look-up.
///
/// ```
///   40 bits: 39 … 12 block · 11 … 1 position · 0 has an SMS fallback; all ones: the delivery is in no block
/// ```
///
/// Decision 037.
package struct DeliveryCoordinates: Hashable, Sendable {
  /// Number of block numbers that 28 bits can express, more than a message can have blocks. The highest one is not
  /// used.
  package static let blocks: Int32 = 1 << 28
  /// Number of positions that 11 bits can express, more than a block has.
  package static let positions: Int32 = 1 << 11
  static let byteCount = 5
  static let nowhere: UInt64 = (1 << 40) - 1

  package let block: Int32
  package let position: Int32
  /// True if an SMS is requested for the user unless the push is confirmed in time, so that recording a receipt must
  /// also determine the user.
  package let hasFallback: Bool

  /// Creates coordinates. Returns nil for a negative number, for a block of `blocks` − 1 or above, and for a position
  /// of `positions` or above.
  package init?(block: Int32, position: Int32, hasFallback: Bool) {
    // The last block is excluded, because its last position would be encoded as `nowhere`.
    guard 0 <= block, block < Self.blocks - 1, 0 <= position, position < Self.positions else { return nil }
    self.block = block
    self.position = position
    self.hasFallback = hasFallback
  }

  /// Decodes the 40 bits. Returns nil if the delivery is in no block.
  init?(packed: UInt64) {
    self.init(
      block: Int32(truncatingIfNeeded: packed >> 12 & 0xFFF_FFFF),
      position: Int32(truncatingIfNeeded: packed >> 1 & 0x7FF),
      hasFallback: packed & 1 == 1)
  }

  var packed: UInt64 { UInt64(block) << 12 | UInt64(position) << 1 | (hasFallback ? 1 : 0) }
}
