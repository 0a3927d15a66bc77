/// The place of a campaign's delivery: its block, and its position in it. It travels to the device and back in the
/// `pushkey`, so that a receipt needs no look-up.
///
/// ```
///   40 bits: 39 … 12 block · 11 … 1 position · 0 has an SMS fallback; all ones: it is in no block
/// ```
///
/// Decision 037.
package struct DeliveryCoordinates: Hashable, Sendable {
  /// Exceeds the number of blocks that a message can have.
  package static let blocks: Int32 = 1 << 28
  /// Exceeds the number of positions that a block can have.
  package static let positions: Int32 = 1 << 11
  static let byteCount = 5
  static let nowhere: UInt64 = (1 << 40) - 1

  package let block: Int32
  package let position: Int32
  /// The person gets an SMS when no receipt arrives in time, so the person must be determined in the receipt's own
  /// commit.
  package let hasFallback: Bool

  /// Nil when they do not fit.
  package init?(block: Int32, position: Int32, hasFallback: Bool) {
    // Excludes the last block, whose last position would be encoded as `nowhere`.
    guard 0 <= block, block < Self.blocks - 1, 0 <= position, position < Self.positions else { return nil }
    self.block = block
    self.position = position
    self.hasFallback = hasFallback
  }

  /// Nil for a delivery in no block.
  init?(packed: UInt64) {
    self.init(
      block: Int32(truncatingIfNeeded: packed >> 12 & 0xFFF_FFFF),
      position: Int32(truncatingIfNeeded: packed >> 1 & 0x7FF),
      hasFallback: packed & 1 == 1)
  }

  var packed: UInt64 { UInt64(block) << 12 | UInt64(position) << 1 | (hasFallback ? 1 : 0) }
}
