internal import Domain
internal import TLS

/// What a push certificate is valid for, according to itself.
extension CertificateInfo {
  /// Why the certificate cannot send for this topic; nil if nothing prevents it.
  /// - Parameter now: seconds since 1970.
  func objection(topic: String, environment: PushEnvironment, now: Int64) -> String? {
    if now >= notAfter {
      return "CertificateExpired: the push certificate is too old; make a new one at developer.apple.com"
    }
    // A certificate with neither mark is not Apple's (the simulator's, perhaps): let the server decide.
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
