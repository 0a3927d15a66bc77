/// Request methods (RFC 9110 §9.3). They are case-sensitive.
package enum Method: String, Hashable, Sendable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"
  /// A well-formed method that this server does not know.
  case other = "other"

  /// Creates the method with this name; `other` if the server does not know the name.
  /// - Parameters:
  ///   - packed: the last eight bytes of the name, or all if it is shorter, as a big-endian number.
  ///   - count: length of the name in bytes.
  init(packed: UInt64, count: Int) {
    // Numeric constants, so that the most frequent comparison of the parser is one integer `switch`.
    switch (count, packed) {
    case (3, 0x47_45_54): self = .get
    case (4, 0x48_45_41_44): self = .head
    case (4, 0x50_4F_53_54): self = .post
    case (3, 0x50_55_54): self = .put
    case (5, 0x50_41_54_43_48): self = .patch
    case (6, 0x44_45_4C_45_54_45): self = .delete
    case (7, 0x4F_50_54_49_4F_4E_53): self = .options
    default: self = .other
    }
  }
}
