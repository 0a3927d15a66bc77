internal import Domain
internal import TLS

/// Checks whether a push certificate covers a topic and environment, by its own extensions.
extension CertificateInfo {
  /// Returns the reason why the certificate cannot be used for this topic and environment; nil if there is none.
  /// - Parameter now: the current time, in seconds since 1970.
  func objection(topic: String, environment: PushEnvironment, now: Int64) -> String? {
    if now >= notAfter {
      return "CertificateExpired: the push certificate is too old; make a new one at developer.apple.com"
    }
    // A certificate that marks neither environment was not issued by Apple (but for the simulator, say): let the server
    // decide.
    if allowsProduction || allowsDevelopment {
      if environment == .production, !allowsProduction {
        return "BadCertificateEnvironment: the push certificate is for development only"
      }
      if environment == .sandbox, !allowsDevelopment {
        return "BadCertificateEnvironment: the push certificate is for production only"
      }
    }
    guard topic == userID || topics.contains(topic) || topics.isEmpty && userID == nil else {
      let known = topics.isEmpty ? userID ?? "" : topics.joined(separator: ", ")
      return "TopicDisallowed: the push certificate is for \(known), not for \(topic)"
    }
    return nil
  }
}
