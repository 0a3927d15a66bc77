package import Domain
internal import Postgres

/// Log of receipts and reads of deliveries in blocks: one row per message and commit, so that recording a receipt needs
/// only a few bytes and no look-up.
///
/// ```
///   confirmed ──► entries of `confirmation_log` ──fold──► minutes in `block_confirmations`, and in the totals
///   (answered)    10 bytes each; gone once folded          two bytes per place
/// ```
/// Readers of confirmations (explanations, lists, funnels, resends) combine the log with what is folded, in SQL
/// (`block_confirmed`, `unfolded_confirmations`). Deliveries outside of blocks have rows of their own
/// (`Confirmations`).
///
/// Decision 038.
package enum ConfirmationLog {
  /// A delivery that was received or read.
  package struct Entry: Hashable, Sendable {
    package let place: BlockPlace
    package let isRead: Bool
    /// Time in seconds since 1970.
    package let at: UInt32

    package init(_ place: BlockPlace, isRead: Bool, at microseconds: Int64) {
      self.place = place
      self.isRead = isRead
      at = UInt32(clamping: microseconds / 1_000_000)
    }
  }

  static let entryBytes = 10
  /// Maximum number of entries in a row, so that it fits on a page.
  private static let entriesPerRow = 700
  /// Bit of an entry that marks a read.
  private static let readBit: UInt32 = 1 << 31

  private static let appendStatement = Statement(
    "confirmation-log-append",
    """
    WITH logged AS (
      INSERT INTO confirmation_log (seqno, entries)
      SELECT t.seqno, t.entries FROM unnest($1, $2) AS t(seqno, entries) JOIN messages m ON m.seqno = t.seqno
      WHERE \(HistoryRanges.isKept)
      RETURNING seqno)
    SELECT DISTINCT seqno FROM logged
    """)

  /// Appends entries. Returns the messages whose history is kept; entries of others are not recorded.
  package static func append(_ entries: [Entry]) -> Query<Set<Seqno>> {
    // Sorted, so that each message's entries end up in one row.
    let entries = entries.sorted { $0.place.block.seqno < $1.place.block.seqno }
    var (seqnos, contents) = (Int64Column(), BytesColumn())
    var row: [UInt8] = []
    for (index, entry) in entries.enumerated() {
      pack(entry, into: &row)
      let seqno = entry.place.block.seqno
      let isLast = index + 1 == entries.count || entries[index + 1].place.block.seqno != seqno
      guard isLast || row.count == entriesPerRow * entryBytes else { continue }
      seqnos.append(seqno)
      contents.append(row)
      row.removeAll(keepingCapacity: true)
    }
    return Query(appendStatement, seqnos, contents) { rows in Set(rows.decode { $0.seqno() }) }
  }

  private static func pack(_ entry: Entry, into bytes: inout [UInt8]) {
    let word = UInt32(entry.place.block.number) | (entry.isRead ? readBit : 0)
    append(word, bytes: 4, to: &bytes)
    append(UInt32(entry.place.position), bytes: 2, to: &bytes)
    append(entry.at, bytes: 4, to: &bytes)
  }

  /// Calls `body` with each entry of a row.
  static func unpack(_ bytes: [UInt8], _ body: (_ half: BlockHalf, _ position: Int, _ at: UInt32) -> Void) {
    for start in stride(from: 0, through: bytes.count - entryBytes, by: entryBytes) {
      let word = word(bytes, start..<start + 4)
      body(
        BlockHalf(number: Int32(word & ~readBit), isRead: word & readBit != 0),
        Int(self.word(bytes, start + 4..<start + 6)),
        self.word(bytes, start + 6..<start + 10))
    }
  }

  private static func append(_ word: UInt32, bytes count: Int, to bytes: inout [UInt8]) {
    for byte in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte))) }
  }

  private static func word(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    var word: UInt32 = 0
    for index in range { word = word << 8 | UInt32(bytes[index]) }
    return word
  }

  /// Identifies either the receipts or the reads of one block.
  struct BlockHalf: Hashable, Comparable {
    let number: Int32
    let isRead: Bool

    static func < (left: BlockHalf, right: BlockHalf) -> Bool {
      (left.number, left.isRead ? 1 : 0) < (right.number, right.isRead ? 1 : 0)
    }
  }
}
