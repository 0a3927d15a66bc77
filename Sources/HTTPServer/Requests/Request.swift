internal import PlainText
package import Reactor

/// One request, seen through the buffer of its connection. Valid only while `RequestHandler.handle` runs; `owned()`
/// makes a copy that lasts. Owned and reused by its connection, so asking for a field allocates nothing unless it
/// returns a `String`.
package final class Request {
  var store: RequestStore
  /// What its `id` is made of.
  package private(set) var number: UInt64 = 0
  /// What kind of request it is, in the handler's numbering, for the server's `RequestMeter`.
  package var kind: UInt8 = 0
  /// For an access log, where there is one.
  var asked: RequestMeter.Asked?
  private var knownMethod = Method.other
  /// Set by the connection: asking the kernel costs a call, so it is done when somebody wants to know.
  var findRemoteAddress: () -> SocketAddress? = { nil }
  private var knownRemoteAddress: SocketAddress?
  /// True when the peer is a proxy that is believed.
  var isBehindProxy = false
  var findClient: () -> IPAddress? = { nil }
  /// Whether no limit of an address concerns this one.
  var isExempt: (IPAddress) -> Bool = { _ in false }
  /// What the present body has been counted with.
  var room = BodyRoom()

  init(limits: HeadLimits, inputBytes: Int = HTTPLimits.restingBufferBytes) {
    store = RequestStore(limits: limits, inputBytes: inputBytes)
  }

  /// A request is answered from here on.
  func begin(_ number: UInt64, _ method: Method) {
    self.number = number
    knownMethod = method
    kind = 0
  }

  // MARK: Request line

  package var method: Method { knownMethod }
  /// The method as it was sent.
  package var methodName: String { store.text(store.head.methodName) }
  /// The path as it was sent, percent-encoded, without the query.
  package var path: String { store.head.path.count == 0 ? "/" : store.text(store.head.path) }
  /// The query as it was sent, without `?`; empty when there is none.
  package var query: String { store.text(store.head.query) }
  /// 0 for HTTP/1.0, else 1.
  package var minorVersion: Int { store.head.minorVersion }
  /// Names this request in logs and in `X-Request-Id`: 16 hexadecimal digits.
  package var id: String { Self.id(of: number) }

  package static func id(of number: UInt64) -> String { RequestID.text(number) }

  package func pathEquals(_ path: StaticString) -> Bool {
    store.withPath { bytes in
      // An absolute-form target without a path means "/".
      guard !bytes.isEmpty else { return "\(path)" == "/" }
      return bytes.count == path.utf8CodeUnitCount && bytes.equals(path, at: 0, bytes.count)
    }
  }

  /// Lends the path as it was sent, percent-encoded; empty stands for `/`.
  package func withPath<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.withPath(body)
  }

  /// The first value of this name in the query, form-decoded; nil when absent or not valid UTF-8.
  package func queryItem(_ name: StaticString) -> String? {
    let query = store.head.query
    guard query.count > 0 else { return nil }
    return store.input.withReadable { FormDecoding.value(of: name, in: $0.extracting(query.range)) }
  }

  // MARK: Headers

  /// The value of the first header of this name; bytes that are not UTF-8 are replaced, and so are too many combining
  /// marks in a row (`PlainText`).
  package func header(_ lowercasedName: StaticString) -> String? {
    store.withHeader(lowercasedName) { String(copying: $0).streamSafe }
  }

  /// Lends the value of the first header of this name; nil when there is none.
  package func withHeader<Result>(_ lowercasedName: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    store.withHeader(lowercasedName, body)
  }

  /// True when the first header of this name has exactly this value.
  package func headerEquals(_ lowercasedName: StaticString, _ value: StaticString) -> Bool {
    withHeader(lowercasedName) { $0.count == value.utf8CodeUnitCount && $0.equals(value, at: 0, $0.count) } ?? false
  }

  /// True when the first header of this name has this value, letters compared without case.
  package func headerEqualsIgnoringCase(_ lowercasedName: StaticString, _ lowercasedValue: StaticString) -> Bool {
    withHeader(lowercasedName) { $0.equalsIgnoringCase(lowercasedValue, 0, $0.count) } ?? false
  }

  /// True when the body is said to be JSON in the one encoding that JSON has (RFC 8259 §8.1), with the parameter that names
  /// it or without. Other parameters are for whoever has time to read them.
  package var isPlainJSON: Bool {
    withHeader("content-type") { value in
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

  /// All headers in the order sent, names lower-cased.
  package var headers: [(name: String, value: String)] {
    store.head.fields.map { (store.text($0.name).lowercased(), store.text($0.value).streamSafe) }
  }

  /// The values of all headers of this name, in the order sent.
  package func values(_ lowercasedName: String) -> [String] {
    headers.filter { $0.name == lowercasedName }.map(\.value)
  }

  // MARK: Body

  package var bodyCount: Int { store.bodyCount }

  /// Lends the whole body; empty when there is none.
  package func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.withBody(body)
  }

  /// The body, copied out of the connection's buffer.
  package var bodyBytes: [UInt8] { withBody { Array(copying: $0) } }

  // MARK: Peer

  /// Who opened the connection: the client, or the last proxy before us. When that proxy names its client at the start
  /// of the connection (PROXY protocol), the client.
  package var remoteAddress: SocketAddress {
    if let knownRemoteAddress { return knownRemoteAddress }
    let address = findRemoteAddress() ?? SocketAddress.unknown
    knownRemoteAddress = address
    return address
  }

  /// Who really asks, as far as those in between are trusted; nil for a Unix socket.
  package var clientAddress: IPAddress? { isBehindProxy ? findClient() : remoteAddress.ip }

  /// The address under which limits count this client; nil for clients without limits (this machine's own, proxies, Unix
  /// sockets).
  package var countedAddress: IPAddress? {
    guard let client = clientAddress, !isExempt(client) else { return nil }
    return client.network
  }

  /// A copy that other threads may have and keep.
  package func owned() -> OwnedRequest {
    var owned = OwnedRequest(
      method: method, path: path, query: query, headers: headers, body: withBody { Array(copying: $0) },
      remoteAddress: remoteAddress, clientAddress: clientAddress, id: id)
    owned.spooled = store.takeSpool(room.disk)
    owned.share = room.memory
    return owned
  }
}
