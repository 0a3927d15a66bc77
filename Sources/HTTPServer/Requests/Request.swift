internal import PlainText
package import Reactor
package import Tracing

/// A request, as a view of its connection's buffer. Valid only during the call of a `RequestHandler` method to which it
/// is passed; `owned()` returns a lasting copy. The connection reuses it. Its content can be read without allocating by
/// `withPath`, `withHeader`, `withBody` and the comparisons.
package final class Request {
  var store: RequestStore
  /// The request's random number, from which `id` is derived.
  package private(set) var number: UInt64 = 0
  /// The kind of request, as an index into the kinds of the server's `RequestMeter`. Set by the handler; 0 until then.
  package var kind: UInt8 = 0
  /// The request's part of its access log entry; nil without an access log.
  var asked: RequestMeter.Asked?
  /// The request's span; nil if the request is not recorded.
  var span: RequestSpan?
  private var knownMethod = Method.other
  /// Returns the peer's address; nil if unknown. Set by the connection. Called only on demand, because it costs a
  /// system call.
  var findRemoteAddress: () -> SocketAddress? = { nil }
  private var knownRemoteAddress: SocketAddress?
  /// True if the peer is a trusted proxy; false also before its address is known.
  var isBehindProxy = false
  /// Returns the client that the last proxy names. Set by the connection. Called at most once a request, because it
  /// parses the header.
  var findClient: () -> IPAddress? = { nil }
  /// What `findClient` has returned for this request; the outer nil until it was called.
  private var knownClient: IPAddress??
  /// Returns whether an address is exempt from the limits per address.
  var isExempt: (IPAddress) -> Bool = { _ in false }
  /// The request's shares of the memory and disk budgets.
  var shares = BodyShares()

  init(limits: HeadLimits, inputBytes: Int = HTTPLimits.restingBufferBytes) {
    store = RequestStore(limits: limits, inputBytes: inputBytes)
  }

  /// Resets the per-request state for a new request.
  func begin(_ number: UInt64, _ method: Method) {
    self.number = number
    knownMethod = method
    kind = 0
    // Few requests are recorded, and to look is cheaper than to destroy nothing.
    if span != nil { span = nil }
    knownClient = nil
  }

  // MARK: Traces

  /// The trace context for what this request causes: its own span if it is recorded, otherwise the caller's
  /// `traceparent` as sent; nil if there is neither.
  package var trace: TraceContext? { span?.context ?? callerTrace }

  /// The caller's context in the `traceparent` header; nil if it is absent or malformed.
  var callerTrace: TraceContext? { header("traceparent").flatMap(TraceContext.init(traceparent:)) }

  /// Sets the route of a recorded request's span to the matching pattern, such as `/v1/devices/{device}`. No effect if
  /// the request is not recorded.
  package func follows(_ pattern: String) { span?.route = pattern }

  // MARK: Request line

  package var method: Method { knownMethod }
  /// The method as it was sent.
  package var methodName: String { store.text(store.head.methodName) }
  /// The path as it was sent, percent-encoded, without the query; `/` if an absolute-form target has none.
  package var path: String { store.head.path.count == 0 ? "/" : store.text(store.head.path) }
  /// The query as it was sent, without `?`; empty if there is none.
  package var query: String { store.text(store.head.query) }
  package var hasQuery: Bool { store.head.query.count > 0 }
  /// Minor version of HTTP: 0 for HTTP/1.0, otherwise 1.
  package var minorVersion: Int { store.head.minorVersion }
  /// Identifies the request in logs and in `X-Request-Id`: 16 hexadecimal digits.
  package var id: String { Self.id(of: number) }

  package static func id(of number: UInt64) -> String { RequestID.text(number) }

  package func pathEquals(_ path: StaticString) -> Bool {
    store.pathEquals(path)
  }

  /// Returns the result of `body` for the path as it was sent, percent-encoded; an empty path means `/`.
  package func withPath<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.withPath(body)
  }

  /// Returns the first value of `name` in the query, form-decoded; empty if it has no `=`. Returns nil if the name is
  /// absent, or the value cannot be decoded (see `FormDecoding.decode`).
  package func queryItem(_ name: StaticString) -> String? {
    let query = store.head.query
    guard query.count > 0 else { return nil }
    return store.input.withReadable { FormDecoding.value(of: name, in: $0.extracting(query.range)) }
  }

  // MARK: Headers

  /// Returns the value of the first header with this name, which must be lower-case; nil if absent. Invalid UTF-8 and
  /// excessive combining marks (`PlainText`) are replaced.
  package func header(_ lowercasedName: StaticString) -> String? {
    store.withHeader(lowercasedName) { String(copying: $0).streamSafe }
  }

  /// Returns the result of `body` for the value of the first header with this name, which must be lower-case; nil,
  /// without calling `body`, if there is none.
  package func withHeader<Result>(_ lowercasedName: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    store.withHeader(lowercasedName, body)
  }

  /// True if the Content-Type is JSON without parameters or with charset UTF-8, the only encoding of JSON (RFC 8259
  /// §8.1). False without the header, for other types, and for other parameters, which need a full parse.
  package var isPlainJSON: Bool {
    // Nearly all clients send exactly this.
    if store.contentTypeEquals("application/json") { return true }
    return withHeader("content-type") { value in
      let name: StaticString = "application/json"
      var rest = name.utf8CodeUnitCount
      guard value.count >= rest, value.equalsIgnoringCase(name, 0, rest) else { return false }
      func skip(_ byte: UInt8) { while rest < value.count, value[rest] == byte { rest += 1 } }
      skip(ByteClass.space)
      guard rest < value.count else { return true }
      guard value[rest] == UInt8(ascii: ";") else { return false }
      rest += 1
      skip(ByteClass.space)
      return value.equalsIgnoringCase("charset=utf-8", rest, value.count)
        || value.equalsIgnoringCase("charset=\"utf-8\"", rest, value.count)
    } ?? false
  }

  /// All headers in the order sent, with lower-case names. Invalid UTF-8 and excessive combining marks are replaced.
  package var headers: [(name: String, value: String)] {
    store.head.fields.map { (store.text($0.name).lowercased(), store.text($0.value).streamSafe) }
  }

  /// Returns the values of all headers with this name, which must be lower-case, in the order sent; empty if there is
  /// none.
  package func values(_ lowercasedName: String) -> [String] {
    headers.filter { $0.name == lowercasedName }.map(\.value)
  }

  // MARK: Body

  package var bodyCount: Int { store.bodyCount }

  /// Returns the result of the closure for the whole body, which is empty if there is none, or it is in a file.
  package func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.withBody(body)
  }

  /// Calls the closure with what `withBody` passes. For the most frequent requests: the generic `withBody` copies the
  /// request's state when another module calls it.
  package func readBody(_ read: (Span<UInt8>) -> Void) {
    store.withBody(read)
  }

  /// A copy of the body; empty if there is none, or it is in a file.
  package var bodyBytes: [UInt8] { withBody { Array(copying: $0) } }

  // MARK: Peer

  /// The peer's address: the client's, or that of the last proxy. If that proxy names its client by the PROXY protocol,
  /// the named client's. `SocketAddress.unknown` if the peer disconnected before its address was read.
  package var remoteAddress: SocketAddress {
    if let knownRemoteAddress { return knownRemoteAddress }
    let address = findRemoteAddress() ?? SocketAddress.unknown
    knownRemoteAddress = address
    return address
  }

  /// The client's address, following trusted proxies; nil for a Unix socket, or if the peer's address is unknown.
  package var clientAddress: IPAddress? {
    guard isBehindProxy else { return remoteAddress.ip }
    if let knownClient { return knownClient }
    let client = findClient()
    knownClient = .some(client)
    return client
  }

  /// The address by which limits count this client: an IPv4 address, or the /64 of an IPv6 address. Nil if the client
  /// is exempt (a trusted proxy or, if so configured, loopback), uses a Unix socket, or has an unknown address.
  package var countedAddress: IPAddress? {
    guard let client = clientAddress, !isExempt(client) else { return nil }
    return client.network
  }

  /// Returns a copy that can be kept and passed to other threads. A body in a file moves into the first copy; `spooled`
  /// is nil in further copies.
  package func owned() -> OwnedRequest {
    var owned = OwnedRequest(
      method: method, path: path, query: query, headers: headers, body: withBody { Array(copying: $0) },
      remoteAddress: remoteAddress, clientAddress: clientAddress, id: id)
    owned.trace = trace
    owned.spooled = store.takeSpool(shares.disk)
    owned.share = shares.memory
    return owned
  }
}

/// Extracts the token of `Authorization: Bearer …` (RFC 6750 §2.1).
package enum BearerToken {
  /// Returns the token in a request's headers, whose names must be lower-case. Returns nil if there is no Authorization
  /// header, if there are several, which would be ambiguous, or if it has another scheme or a malformed token (see
  /// `read`).
  package static func find(in headers: [(name: String, value: String)]) -> String? {
    let values = headers.filter { $0.name == "authorization" }
    return values.count == 1 ? read(values[0].value) : nil
  }

  /// Returns the token in a header value. The scheme is case-insensitive and followed by one or more spaces (RFC 9110
  /// §11.4). Returns nil for another scheme, or if the token is empty or contains spaces or tabs.
  static func read(_ value: String) -> String? {
    let scheme = "bearer "
    guard value.utf8.count > scheme.utf8.count, value.prefix(scheme.count).lowercased() == scheme else { return nil }
    let token = value.dropFirst(scheme.count).drop { $0 == " " }
    guard !token.isEmpty, !token.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return nil }
    return String(token)
  }
}

extension Request {
  /// The token of `Authorization: Bearer …`; nil in the cases of `BearerToken.find`.
  package var bearerToken: String? {
    // Most requests have no Authorization header: avoid copying their headers.
    withHeader("authorization") { _ in true } == nil ? nil : BearerToken.find(in: headers)
  }
}

extension OwnedRequest {
  /// The token of `Authorization: Bearer …`; nil in the cases of `BearerToken.find`.
  package var bearerToken: String? { BearerToken.find(in: headers) }
}
