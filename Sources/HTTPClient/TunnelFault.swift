/// The reason why a tunnel did not open.
package struct TunnelFault: Error, Equatable, Sendable {
  /// The reason as the end of a sentence that names the proxy; never contains its password.
  package let reason: String
  /// The HTTP status of the proxy's response; nil if there was none.
  package let status: Int?

  package init(reason: String, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }

  /// True if the proxy rejects the credentials or requires some.
  package var isAboutPassword: Bool { status == 401 || status == 407 }
}
