package import Reactor
package import Tracing

/// A request copied out of its connection's buffer: for other threads, and for later.
package struct OwnedRequest: Sendable {
  package var method: Method
  /// Percent-encoded, without the query.
  package var path: String
  package var query: String
  /// In the order sent, names lower-cased.
  package var headers: [(name: String, value: String)]
  /// Empty when the body is `spooled`.
  package var body: [UInt8]
  /// A body that was too long for memory.
  package var spooled: SpooledBody?
  /// A large body's share of the memory budget, held as long as this copy.
  var share: BodyShare?
  package var remoteAddress: SocketAddress
  /// The client's address, as far as the proxies in between are trusted; nil for a Unix socket.
  package var clientAddress: IPAddress?
  package var id: String
  /// See `Request.trace`.
  package var trace: TraceContext?

  package init(
    method: Method, path: String, query: String = "", headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    remoteAddress: SocketAddress = .unknown, clientAddress: IPAddress? = nil, id: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
    self.clientAddress = clientAddress
    self.id = id
  }

  /// The value of the first header of this name.
  package func header(_ lowercasedName: String) -> String? {
    headers.first { $0.name == lowercasedName }?.value
  }
}
