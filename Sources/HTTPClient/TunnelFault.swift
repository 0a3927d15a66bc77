/// Why a tunnel did not open.
package struct TunnelFault: Error, Equatable, Sendable {
  /// The end of a sentence that names the proxy, never its password.
  package let reason: String
  /// The proxy's HTTP status; nil if it sent none.
  package let status: Int?

  package init(reason: String, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }

  /// The proxy rejects the credentials or requires some.
  package var isAboutPassword: Bool { status == 401 || status == 407 }
}
