/// The URL at which access tokens for Google are requested: Google's own, or the one configured by this server's
/// operator (`UPMC_FCM_TOKEN_URL`).
///
/// A service account's file names a URL too. Because a tenant provides the file, that URL is only compared with the
/// allowed ones and never called itself.
package struct TokenAddress: Sendable, Equatable {
  /// Google's current URL.
  package static let google = "https://oauth2.googleapis.com/token"
  /// Google's current URL and those found in older files.
  private static let googles: Set<String> = [
    google, "https://accounts.google.com/o/oauth2/token", "https://www.googleapis.com/oauth2/v3/token",
    "https://www.googleapis.com/oauth2/v4/token",
  ]

  private let configured: String?

  /// Creates the address from the operator's setting.
  /// - Parameter configured: the operator's setting; nil for Google's URL.
  package init(configured: String? = nil) {
    self.configured = configured
  }

  /// The URL at which tokens are requested: the configured one, or Google's.
  package var url: String { configured ?? Self.google }

  /// Returns whether a service account's file may name this URL: one of Google's, or the one that the operator has
  /// configured.
  package func allows(_ uri: String) -> Bool { Self.googles.contains(uri) || uri == configured }
}
