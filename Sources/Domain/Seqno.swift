package import JSON

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

/// Parses SEQNO and GROUPSEQ in the wire format: an integer from 1 with at most 18 digits, without sign or leading
/// zeros.
package enum SequenceNumber {
  private static let digits = 18

  /// Returns the number; nil if malformed.
  package static func parse(_ text: String) -> Int64? {
    parse(text.utf8.span)
  }

  /// Returns the number; nil if malformed.
  package static func parse(_ text: Span<UInt8>) -> Int64? {
    guard (1...digits).contains(text.count), text[0] != UInt8(ascii: "0") else { return nil }
    var number: Int64 = 0
    for index in text.indices {
      let digit = text[index] &- 48
      guard digit < 10 else { return nil }
      number = number * 10 + Int64(digit)
    }
    return number
  }

  /// The schema of a GROUPSEQ in requests: a string or an integer.
  static let groupSeqSchema = ("GroupSeq", schema("GroupSeq", "GROUPSEQ, as text or as a number."))
  /// The schema of other numbers in requests, such as that of a segment: a string or an integer.
  static let numberSchema = ("SegmentNumber", schema("SegmentNumber", "As text or as a number."))

  private static func schema(_ name: String, _ about: String) -> JSONTree {
    JSONSchema.oneOf([
      JSONSchema.sequence.titled("\(name)Text"),
      JSONSchema.number(1...999_999_999_999_999_999).titled("\(name)Integer"),
    ]).adding("description", .text(about))
  }
}

extension JSONReader {
  /// Parses a SEQNO given as a string. Throws for numbers and for malformed strings.
  package mutating func readSeqno() throws(JSONError) -> Seqno {
    guard try peek() == .string else { throw JSONError("must be a SEQNO in quotes") }
    guard let seqno = Seqno(try readString()) else {
      throw JSONError("must be a SEQNO in quotes: a whole number from 1")
    }
    return seqno
  }

  /// Parses a GROUPSEQ given as a string or a number. Throws unless it is positive.
  package mutating func readGroupSeq() throws(JSONError) -> Int64 {
    let number = try peek() == .number ? try readInteger() : SequenceNumber.parse(try readString())
    guard let number, number > 0 else { throw JSONError("must be a GROUPSEQ: a whole number from 1") }
    return number
  }
}
