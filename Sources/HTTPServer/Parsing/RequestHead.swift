/// Request line and fields of one request, as offsets into the bytes from which they were parsed. Contains no bytes
/// itself.
package struct RequestHead {
  /// A range of bytes, relative to the first byte of the request.
  package struct Slice: Hashable, Sendable {
    package var start: UInt32
    package var count: UInt32

    static let empty = Slice(start: 0, count: 0)

    init(start: UInt32, count: UInt32) {
      self.start = start
      self.count = count
    }

    @inline(__always)
    init(_ start: Int, _ end: Int) {
      self.start = UInt32(truncatingIfNeeded: start)
      count = UInt32(truncatingIfNeeded: end - start)
    }

    package var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// A field line: name and value, without surrounding white space.
  package struct Field: Sendable {
    package var name: Slice
    package var value: Slice
  }

  /// The means by which the end of the body is determined (RFC 9112 §6.3).
  package enum Framing: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
  }

  /// What the client waits for before it sends the body (`Expect`, RFC 9110 §10.1.1): nothing, a 100 response, or
  /// something that this server does not know and refuses with 417.
  package enum Expectation: Equatable, Sendable {
    case none
    case `continue`
    case unknown
  }

  package internal(set) var method = Method.other
  package internal(set) var methodName = Slice.empty
  /// The path as sent, percent-encoded. Empty if an absolute-form target has none, which means `/`; `*` in `OPTIONS *`.
  package internal(set) var path = Slice.empty
  /// The query without its `?`; empty if there is none.
  package internal(set) var query = Slice.empty
  /// The authority of an absolute-form target; empty for other forms.
  package internal(set) var authority = Slice.empty
  package internal(set) var host = Slice.empty
  /// Value of the first Content-Type; nil if there is none, or it has not arrived yet.
  package internal(set) var contentType: Slice?
  /// Minor version of HTTP/1: 0 or 1; a higher one counts as 1.
  package internal(set) var minorVersion = 1
  package internal(set) var framing = Framing.none
  package internal(set) var expectation = Expectation.none
  /// True if the client wants to reuse the connection (RFC 9112 §9.3).
  package internal(set) var keepsAlive = true
  package internal(set) var fields: [Field] = []
  /// Length of the head in bytes, including empty lines before it and the one at its end; 0 until it is complete.
  package internal(set) var count = 0

  // Parser state that accumulates over the fields.
  var contentLength: Int?
  var isChunked = false
  var hosts = 0
  var asksToClose = false
  var asksToKeepAlive = false

  package init() {}

  /// Resets to an empty head, keeping the allocated memory.
  mutating func reset() {
    method = .other
    methodName = .empty
    path = .empty
    query = .empty
    authority = .empty
    host = .empty
    contentType = nil
    minorVersion = 1
    framing = .none
    expectation = .none
    keepsAlive = true
    fields.removeAll(keepingCapacity: true)
    count = 0
    contentLength = nil
    isChunked = false
    hosts = 0
    asksToClose = false
    asksToKeepAlive = false
  }
}

/// Parses the first line of a request: `method SP request-target SP HTTP-version` (RFC 9112 §3).
extension RequestHead {
  /// Parses a request line into method, target and version. Throws 505 for an HTTP version other than `1.` and one
  /// digit, and 400 for every other fault.
  /// - Parameters:
  ///   - start: index of its first byte.
  ///   - end: index after its last byte, excluding the CR LF.
  mutating func parseRequestLine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var packed: UInt64 = 0
    var index = start
    while index < end, ByteClass.isToken(bytes[index]) {
      packed = packed << 8 | UInt64(bytes[index])
      index += 1
    }
    guard index > start, index < end, bytes[index] == ByteClass.space else {
      throw Malformed(.badRequest, "The request does not begin with a method and one space (RFC 9112 §3.1).")
    }
    methodName = Slice(start, index)
    method = Method(packed: packed, count: index - start)

    let targetStart = index + 1
    index = targetStart
    // Most targets are paths of such bytes alone, and need only this pass.
    while index < end, ByteClass.isPlainPath(bytes[index]) { index += 1 }
    let isPlain = index < end && bytes[index] == ByteClass.space
    while index < end, ByteClass.isTarget(bytes[index]) { index += 1 }
    guard index > targetStart else { throw Malformed(.badRequest, "The request target is missing (RFC 9112 §3.2).") }
    guard index < end, bytes[index] == ByteClass.space else {
      throw Malformed(.badRequest, "The request target holds a character that is not allowed (RFC 9112 §3.2).")
    }
    minorVersion = try Self.parseVersion(bytes, index + 1, end)
    if isPlain, bytes[targetStart] == UInt8(ascii: "/") {
      path = Slice(targetStart, index)
    } else {
      try parseTarget(bytes, targetStart, index)
    }
  }

  private static func parseVersion(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) -> Int {
    guard bytes.equals("HTTP/", at: start, end) else {
      throw Malformed(.badRequest, "The request line does not end with one space and a version (RFC 9112 §3).")
    }
    let digits = start + 5
    guard end - digits == 3, bytes[digits] == UInt8(ascii: "1"), bytes[digits + 1] == UInt8(ascii: "."),
      ByteClass.isDigit(bytes[digits + 2])
    else {
      throw Malformed(.httpVersionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here (RFC 9110 §15.6.6).")
    }
    // A higher minor version is treated as the highest supported one (RFC 9110 §2.5).
    return bytes[digits + 2] == UInt8(ascii: "0") ? 0 : 1
  }
}

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

/// The reason why a request is refused before it reaches the handler. The connection answers with the status and
/// closes, because bytes after ambiguous framing cannot be trusted.
package struct Malformed: Error, Sendable {
  package let status: Status
  /// One sentence for the client, with the RFC section if one is violated.
  package let reason: StaticString

  init(_ status: Status = .badRequest, _ reason: StaticString) {
    self.status = status
    self.reason = reason
  }
}
