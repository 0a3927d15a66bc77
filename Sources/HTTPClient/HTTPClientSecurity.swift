package import TLS

/// How connections are secured.
package struct HTTPClientSecurity: Sendable {
  /// With the protocol `http/1.1`.
  package let context: TLSContext
  package let serverName: String

  package init(context: TLSContext, serverName: String) {
    self.context = context
    self.serverName = serverName
  }
}
