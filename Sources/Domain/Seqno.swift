/// SEQNO: the number of a message, positive and in the order in which messages were accepted. On the wire it is decimal
/// text of at most 18 digits. Negative numbers belong to pushes of no message (`ofNoMessage`).
package struct Seqno: RowNumber, LosslessStringConvertible {
  package let number: Int64

  package init(_ number: Int64) { self.number = number }

  /// Parses the wire format: 1 to 18 digits without a leading zero. Returns nil if malformed.
  package init?(_ text: String) {
    guard let number = SequenceNumber.parse(text) else { return nil }
    self.number = number
  }

  /// A number above that of every message, to start reading in descending order.
  package static let max = Seqno(.max)

  /// Returns a random negative number, for a push that belongs to no message.
  package static func ofNoMessage() -> Seqno { Seqno(.random(in: Int64.min ... -1)) }

  /// The number after this one.
  package var next: Seqno { Seqno(number + 1) }
  /// The number before this one.
  package var previous: Seqno { Seqno(number - 1) }
}
