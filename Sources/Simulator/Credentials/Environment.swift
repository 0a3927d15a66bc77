/// Apple runs two push services that share nothing: a token or a key of one means nothing to the other.
package enum Environment: String, CaseIterable, Codable, Sendable {
  case production
  /// For apps signed for development.
  case sandbox
}
