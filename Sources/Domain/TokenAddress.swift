/// The URL at which access tokens for Google are requested: Google's own, or the one the operator of this server has
/// set (`UPMC_FCM_TOKEN_URL`).
///
/// A service account's file also names a URL. A tenant provides the file, so the URL only has to match one of these:
/// the server never calls any other.
package struct TokenAddress: Sendable, Equatable {
  /// Google's own.
  package static let google = "https://oauth2.googleapis.com/token"
  /// What files of earlier years contain instead.
  private static let googles: Set<String> = [
    google, "https://accounts.google.com/o/oauth2/token", "https://www.googleapis.com/oauth2/v3/token",
    "https://www.googleapis.com/oauth2/v4/token",
  ]

  private let configured: String?

  /// - Parameter configured: the operator's setting; nil: Google's own.
  package init(configured: String? = nil) {
    self.configured = configured
  }

  /// Where all tokens are requested.
  package var url: String { configured ?? Self.google }

  /// - Parameter uri: the URL in a service account's file.
  package func allows(_ uri: String) -> Bool { Self.googles.contains(uri) || uri == configured }
}
