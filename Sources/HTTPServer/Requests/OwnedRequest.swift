package import Reactor
package import Tracing

/// A copy of a request that outlives its connection's buffer, for use later or on other threads.
package struct OwnedRequest: Sendable {
  package var method: Method
  /// The path, percent-encoded, without the query.
  package var path: String
  package var query: String
  /// All headers in the order sent, with lower-case names.
  package var headers: [(name: String, value: String)]
  /// The body; empty if the request has none, or it was written to a file.
  package var body: [UInt8]
  /// A body that was too long for memory; nil if the body is in `body`, or an earlier copy of the request has the file.
  package var spooled: SpooledBody?
  /// A large request's share of the memory budget, held for the lifetime of this copy; nil for a small request.
  var share: BodyShare?
  package var remoteAddress: SocketAddress
  /// The client's address, following trusted proxies; nil for a Unix socket, or if unknown.
  package var clientAddress: IPAddress?
  package var id: String
  /// The trace context for what the request causes; see `Request.trace`. Nil if there is none.
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

  /// Returns the value of the first header with this name, which must be lower-case; nil if absent.
  package func header(_ lowercasedName: String) -> String? {
    headers.first { $0.name == lowercasedName }?.value
  }
}
