/// One of Apple's two independent push services: tokens and keys of one are unknown to the other.
package enum Environment: String, CaseIterable, Codable, Sendable {
  case production
  /// For apps signed for development.
  case sandbox
}
