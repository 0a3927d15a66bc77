package import TLS

/// The TLS settings of a client's connections.
package struct HTTPClientSecurity: Sendable {
  /// A client context that offers the ALPN protocol `http/1.1`.
  package let context: TLSContext
  package let serverName: String

  package init(context: TLSContext, serverName: String) {
    self.context = context
    self.serverName = serverName
  }
}
