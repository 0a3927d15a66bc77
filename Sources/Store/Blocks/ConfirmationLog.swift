package import Domain
internal import Postgres
package import Time

/// Log of receipts and reads of deliveries in blocks. A commit adds one row per message (several for more than 700
/// entries), so that recording a receipt needs only a few bytes and no look-up of the delivery.
///
/// ```
///   confirmed ──► entries of `confirmation_log` ──fold──► minutes in `block_confirmations`, and in the totals
///   (answered)    10 bytes each; deleted when folded       two bytes per position
/// ```
/// Readers of confirmations, such as explanations, lists, funnels and resends, combine the log with what is folded, in
/// SQL functions such as `block_confirmed` and `unfolded_confirmations`. The confirmations of deliveries outside of
/// blocks have rows of their own (`Confirmations`).
///
/// Decision 038.
package enum ConfirmationLog {
  /// The receipt or read of one delivery.
  package struct Entry: Hashable, Sendable {
    package let place: BlockPlace
    package let isRead: Bool
    /// When the delivery was received or read, in seconds since 1970.
    package let at: UInt32

    package init(_ place: BlockPlace, isRead: Bool, at time: Timestamp) {
      self.place = place
      self.isRead = isRead
      at = UInt32(clamping: time.seconds)
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

  /// Appends entries, in any order. Returns the messages whose entries were recorded: the entries of a message that
  /// does not exist, or whose history is no longer kept, are dropped. Repeated confirmations are appended again, but
  /// count once when they are folded.
  package static func append(_ entries: [Entry]) -> Query<Set<Seqno>> {
    // Sorted, so that each message's entries end up in one row.
    let entries = isSorted(entries) ? entries : entries.sorted { $0.place.block.seqno < $1.place.block.seqno }
    var (seqnos, contents) = (Int64Column(), BytesColumn())
    var start = 0
    while start < entries.count {
      let seqno = entries[start].place.block.seqno
      let number = seqno.number
      var end = start + 1
      while end < entries.count, end - start < entriesPerRow, entries[end].place.block.seqno.number == number {
        end += 1
      }
      seqnos.append(seqno)
      contents.append(pack(entries[start..<end]))
      start = end
    }
    return Query(appendStatement, seqnos, contents) { rows in Set(rows.decode { $0.seqno() }) }
  }

  /// Returns true if the entries are sorted by SEQNO. Most batches are, because they have receipts of only one message.
  private static func isSorted(_ entries: [Entry]) -> Bool {
    for index in entries.indices.dropFirst()
    where entries[index - 1].place.block.seqno > entries[index].place.block.seqno { return false }
    return true
  }

  private static func pack(_ entries: ArraySlice<Entry>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: entryBytes * entries.count)
    var room = bytes.mutableSpan
    var start = 0
    for index in entries.indices {
      let place = entries[index].place
      put(UInt32(place.block.number) | (entries[index].isRead ? readBit : 0), bytes: 4, at: start, &room)
      put(UInt32(place.position), bytes: 2, at: start + 4, &room)
      put(entries[index].at, bytes: 4, at: start + 6, &room)
      start += entryBytes
    }
    return bytes
  }

  @inline(__always)
  private static func put(_ word: UInt32, bytes count: Int, at start: Int, _ room: inout MutableSpan<UInt8>) {
    for byte in 0..<count {
      room[start + byte] = UInt8(truncatingIfNeeded: word >> UInt32(8 * (count - 1 - byte)))
    }
  }

  /// Calls `body` with each entry of a row, in the order in which they were appended; `at` is in seconds since 1970.
  static func unpack(_ bytes: [UInt8], _ body: (_ half: BlockHalf, _ position: Int, _ at: UInt32) -> Void) {
    for start in stride(from: 0, through: bytes.count - entryBytes, by: entryBytes) {
      let word = word(bytes, start..<start + 4)
      body(
        BlockHalf(number: Int32(word & ~readBit), isRead: word & readBit != 0),
        Int(self.word(bytes, start + 4..<start + 6)),
        self.word(bytes, start + 6..<start + 10))
    }
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
