package import JSON

/// SEQNO and GROUPSEQ as they stand on the wire: a whole number from 1, of at most 18 digits, without sign or zeros in
/// front. Anything else names nothing.
package enum SequenceNumber {
  private static let digits = 18

  /// Nil when it cannot be one.
  package static func parse(_ text: String) -> Int64? {
    guard (1...digits).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "0"),
      text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int64(text)
  }

  /// Numbers of requests, as the description has them.
  static let groupSeqSchema = ("GroupSeq", schema("GROUPSEQ, as text or as a number."))
  static let numberSchema = ("SegmentNumber", schema("As text or as a number."))

  private static func schema(_ about: String) -> JSONTree {
    JSONSchema.oneOf([JSONSchema.sequence, JSONSchema.number(1...999_999_999_999_999_999)]).adding(
      "description", .text(about))
  }
}

extension JSONReader {
  /// A SEQNO in quotes.
  package mutating func readSeqno() throws(JSONError) -> Int64 {
    guard try peek() == .string else { throw JSONError("must be a SEQNO in quotes") }
    guard let number = SequenceNumber.parse(try readString()) else {
      throw JSONError("must be a SEQNO in quotes: a whole number from 1")
    }
    return number
  }

  /// A GROUPSEQ, in quotes or as a number.
  package mutating func readGroupSeq() throws(JSONError) -> Int64 {
    let number = try peek() == .number ? try readInteger() : SequenceNumber.parse(try readString())
    guard let number, number > 0 else { throw JSONError("must be a GROUPSEQ: a whole number from 1") }
    return number
  }
}
