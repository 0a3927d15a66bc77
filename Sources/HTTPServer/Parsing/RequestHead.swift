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
