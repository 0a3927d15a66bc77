/// Why a tunnel did not open.
package struct TunnelFault: Error, Equatable, Sendable {
  /// One sentence's end that names the proxy, never its password.
  package let reason: String
  /// What the proxy answered; nil when it did not.
  package let status: Int?

  package init(reason: String, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }

  /// The proxy does not take the user and password, or wants some.
  package var isAboutPassword: Bool { status == 401 || status == 407 }
}
