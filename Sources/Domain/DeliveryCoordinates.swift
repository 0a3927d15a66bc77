/// Where a delivery of a campaign stands: its block, and its place in it. Travels to the device and back in the `pushkey`,
/// so that a receipt needs no look-up.
///
/// ```
///   40 bits: 39 … 12 block · 11 … 1 place · 0 a short message may follow it; all ones: it stands in no block
/// ```
package struct DeliveryCoordinates: Hashable, Sendable {
  /// More blocks than a message may have.
  package static let blocks: Int32 = 1 << 28
  /// More places than a block may have.
  package static let positions: Int32 = 1 << 11
  static let byteCount = 5
  static let nowhere: UInt64 = (1 << 40) - 1

  package let block: Int32
  package let position: Int32
  /// Its person gets a short message when no receipt comes in time: who that is must be found in the receipt's own commit.
  package let hasFallback: Bool

  /// Nil: they do not fit.
  package init?(block: Int32, position: Int32, hasFallback: Bool) {
    // The last block is left out: its last place would be nowhere.
    guard 0 <= block, block < Self.blocks - 1, 0 <= position, position < Self.positions else { return nil }
    self.block = block
    self.position = position
    self.hasFallback = hasFallback
  }

  /// Nil for what stands in no block.
  init?(packed: UInt64) {
    self.init(
      block: Int32(truncatingIfNeeded: packed >> 12 & 0xFFF_FFFF),
      position: Int32(truncatingIfNeeded: packed >> 1 & 0x7FF),
      hasFallback: packed & 1 == 1)
  }

  var packed: UInt64 { UInt64(block) << 12 | UInt64(position) << 1 | (hasFallback ? 1 : 0) }
}
