package import Reactor

/// One request, seen through the buffer of its connection. Valid only while `RequestHandler.handle` runs; `owned()`
/// makes a copy that lasts. Owned and reused by its connection, so asking for a field allocates nothing unless it
/// returns a `String`.
package final class Request {
  // The connection's received bytes: the head, its body unless chunked, and what the client sent ahead.
  var input: ByteBuffer
  var parser: RequestParser
  // The content of a chunked body, and what takes it apart. Empty otherwise.
  private var chunks = ByteBuffer(capacity: 64)
  private var decoder = ChunkedDecoder()
  private var bodyLength = 0
  var number: UInt64 = 0
  /// Set by the connection: asking the kernel costs a call, so it is done when somebody wants to know.
  var findRemoteAddress: () -> SocketAddress? = { nil }
  private var knownRemoteAddress: SocketAddress?

  init(limits: HTTPServer.HeadLimits, inputBytes: Int = HTTPServer.Limits.readBytes) {
    input = ByteBuffer(capacity: inputBytes)
    parser = RequestParser(limits: limits)
  }

  var head: RequestHead { _read { yield parser.head } }

  // MARK: Request line

  package var method: Method { head.method }
  /// The method as it was sent.
  package var methodName: String { text(head.methodName) }
  /// The path as it was sent, percent-encoded, without the query.
  package var path: String { head.path.count == 0 ? "/" : text(head.path) }
  /// The query as it was sent, without `?`; empty when there is none.
  package var query: String { text(head.query) }
  /// 0 for HTTP/1.0, else 1.
  package var minorVersion: Int { head.minorVersion }
  /// Names this request in logs and in `X-Request-Id`: 16 hexadecimal digits.
  package var id: String { RequestID.text(number) }

  package func pathEquals(_ path: StaticString) -> Bool {
    if head.path.count == 0 { return path.utf8CodeUnitCount == 1 && path.hasASCIIPrefix(UInt8(ascii: "/")) }
    return input.withReadable { bytes in
      let range = head.path.range
      return range.count == path.utf8CodeUnitCount && bytes.equals(path, at: range.lowerBound, range.upperBound)
    }
  }

  package func withPath<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try input.withReadable { bytes throws(Failure) in try body(bytes.extracting(head.path.range)) }
  }

  /// The first value of this name in the query, form-decoded; nil when absent or not valid UTF-8.
  package func queryItem(_ name: StaticString) -> String? {
    guard head.query.count > 0 else { return nil }
    return input.withReadable { bytes in
      FormDecoding.value(of: name, in: bytes.extracting(head.query.range))
    }
  }

  // MARK: Headers

  /// The value of the first header of this name; bytes that are not UTF-8 are replaced.
  package func header(_ lowercasedName: StaticString) -> String? {
    withHeader(lowercasedName) { String(copying: $0) }
  }

  /// Lends the value of the first header of this name; nil when there is none.
  package func withHeader<Result>(_ lowercasedName: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    input.withReadable { bytes in
      for field in head.fields where Int(field.name.count) == lowercasedName.utf8CodeUnitCount {
        let name = field.name.range
        guard bytes.equalsIgnoringCase(lowercasedName, name.lowerBound, name.upperBound) else { continue }
        return body(bytes.extracting(field.value.range))
      }
      return nil
    }
  }

  /// True when the first header of this name has exactly this value.
  package func headerEquals(_ lowercasedName: StaticString, _ value: StaticString) -> Bool {
    withHeader(lowercasedName) { $0.count == value.utf8CodeUnitCount && $0.equals(value, at: 0, $0.count) } ?? false
  }

  /// True when the first header of this name has this value, letters compared without case.
  package func headerEqualsIgnoringCase(_ lowercasedName: StaticString, _ lowercasedValue: StaticString) -> Bool {
    withHeader(lowercasedName) { $0.equalsIgnoringCase(lowercasedValue, 0, $0.count) } ?? false
  }

  /// All headers in the order sent, names lower-cased.
  package var headers: [(name: String, value: String)] {
    head.fields.map { (text($0.name).lowercased(), text($0.value)) }
  }

  // MARK: Body

  package var bodyCount: Int { bodyLength }

  /// Lends the whole body; empty when there is none.
  package func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if head.framing == .chunked { return try chunks.withReadable(body) }
    let start = head.count
    let end = start + bodyLength
    return try input.withReadable { bytes throws(Failure) in try body(bytes.extracting(start..<end)) }
  }

  // MARK: Peer

  /// Who opened the connection: the client, or the last proxy before us.
  package var remoteAddress: SocketAddress {
    if let knownRemoteAddress { return knownRemoteAddress }
    let address = findRemoteAddress() ?? SocketAddress.unknown
    knownRemoteAddress = address
    return address
  }

  /// A copy that other threads may have and keep.
  package func owned() -> OwnedRequest {
    OwnedRequest(
      method: method, path: path, query: query, headers: headers, body: withBody { Array(copying: $0) },
      remoteAddress: remoteAddress, id: id)
  }

  // MARK: For the connection

  enum BodyOutcome {
    case needMore
    case complete
    case malformed(Malformed)
  }

  /// True when the bytes of no request have arrived.
  var isIdle: Bool { input.isEmpty || parser.isAtStart }

  func parseHead() -> RequestParser.Outcome {
    input.withReadable { parser.parse($0) }
  }

  /// Takes what has arrived of the body. Call it only when the head is complete.
  func receiveBody(limit: Int) -> BodyOutcome {
    switch head.framing {
    case .none:
      bodyLength = 0
      return .complete
    case .length(let length):
      guard length <= limit else { return .malformed(Malformed(.contentTooLarge, "The body is too large.")) }
      bodyLength = length
      return input.count - head.count >= length ? .complete : .needMore
    case .chunked:
      return receiveChunks(limit: limit)
    }
  }

  private func receiveChunks(limit: Int) -> BodyOutcome {
    let start = head.count
    let outcome = input.withReadable { bytes in
      decoder.decode(bytes.extracting(start..<bytes.count), into: &chunks, limit: limit)
    }
    bodyLength = chunks.count
    switch outcome {
    case .needMore(let consumed):
      input.remove(consumed, at: start)
      return .needMore
    case .complete(let consumed):
      input.remove(consumed, at: start)
      return .complete
    case .malformed(let malformed):
      return .malformed(malformed)
    }
  }

  /// Bytes of the body that must still come, as far as is known: how much to ask the kernel for.
  var awaitedBodyBytes: Int {
    guard case .length(let length) = head.framing else { return HTTPServer.Limits.readBytes }
    return max(0, head.count + length - input.count)
  }

  /// Forgets the request that was handled; what the client sent ahead stays.
  func finish() {
    let isChunked = head.framing == .chunked
    input.consume(head.count + (isChunked ? 0 : bodyLength))
    if isChunked {
      decoder = ChunkedDecoder()
      chunks = ByteBuffer(capacity: 64)
    }
    bodyLength = 0
    parser.reset()
  }

  private func text(_ slice: RequestHead.Slice) -> String {
    input.withReadable { String(copying: $0.extracting(slice.range)) }
  }
}
