/// Where Google's access tokens are got: at Google, or where the operator of this server says (`UPMC_FCM_TOKEN_URL`).
///
/// A service account's file names an address too. That is a tenant's word, so it only has to be one of these: the server
/// never calls another one for it.
package struct TokenAddress: Sendable, Equatable {
  /// Google's.
  package static let google = "https://oauth2.googleapis.com/token"
  /// What files of earlier years say for the same.
  private static let googles: Set<String> = [
    google, "https://accounts.google.com/o/oauth2/token", "https://www.googleapis.com/oauth2/v3/token",
    "https://www.googleapis.com/oauth2/v4/token",
  ]

  private let configured: String?

  /// - Parameter configured: what the operator says; nil: Google's.
  package init(configured: String? = nil) {
    self.configured = configured
  }

  /// Where all tokens are got.
  package var url: String { configured ?? Self.google }

  /// - Parameter uri: what a service account's file names.
  package func allows(_ uri: String) -> Bool { Self.googles.contains(uri) || uri == configured }
}
