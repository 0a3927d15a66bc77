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
