package import Domain

/// Identifies a block: a group of a message's recipients that is stored in one row.
package struct BlockID: Hashable, Comparable, Sendable {
  package let seqno: Seqno
  package let number: Int32

  package init(seqno: Seqno, number: Int32) {
    self.seqno = seqno
    self.number = number
  }

  package static func < (left: BlockID, right: BlockID) -> Bool {
    (left.seqno, left.number) < (right.seqno, right.number)
  }
}

/// A recipient's block, and the recipient's position in that block, counted from 0.
package struct BlockPlace: Hashable, Sendable {
  package let block: BlockID
  package let position: Int32

  package init(block: BlockID, position: Int) {
    self.block = block
    self.position = Int32(position)
  }

  /// Creates the place that a pushkey's coordinates denote, in a block of this message.
  package init(_ coordinates: DeliveryCoordinates, of seqno: Seqno) {
    block = BlockID(seqno: seqno, number: coordinates.block)
    position = coordinates.position
  }

  /// Written out, because the log compares each receipt's place with the one before: the compiler's own is called
  /// through two tables.
  package static func == (left: BlockPlace, right: BlockPlace) -> Bool {
    left.position == right.position && left.block.number == right.block.number
      && left.block.seqno.number == right.block.seqno.number
  }

  /// Returns the coordinates for a pushkey; nil if the block number or the position is too large for one.
  package func coordinates(hasFallback: Bool) -> DeliveryCoordinates? {
    DeliveryCoordinates(block: block.number, position: position, hasFallback: hasFallback)
  }
}
