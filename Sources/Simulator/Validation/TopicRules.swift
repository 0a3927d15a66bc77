/// Validates the topic, and that the provider may push to it.
enum TopicRules {
  /// Checks the topic on a connection with provider tokens, where it is required.
  static func check(_ request: PushRequest, _ pushType: PushType?, _ binding: inout ProviderBinding) -> Rejection? {
    let outcome = request.with(.topic) { topic -> Rejection? in
      if let proven = binding.provenPushType, proven == pushType, ASCII.equal(topic, binding.provenTopic) { return nil }
      guard let bundle = bundleID(of: topic, pushType) else { return Rejection(.badTopic) }
      if let owned = binding.key?.topics, !owned.contains(bundle) { return Rejection(.topicDisallowed) }
      binding.provenPushType = pushType
      binding.provenTopic = ASCII.array(topic)
      return nil
    }
    guard let outcome else { return Rejection(.missingTopic) }
    return outcome
  }

  /// Checks the topic on a connection with a client certificate, where it may be omitted if the certificate has only
  /// one.
  static func check(
    _ request: PushRequest, _ pushType: PushType?, _ certificate: ClientCertificate
  ) -> Rejection? {
    if let pushType, pushType.needsProviderToken { return Rejection(.invalidPushType) }
    let outcome = request.with(.topic) { topic -> Rejection? in
      guard bundleID(of: topic, pushType) != nil else { return Rejection(.badTopic) }
      return certificate.topics.contains(ASCII.string(topic)) ? nil : Rejection(.topicDisallowed)
    }
    guard let outcome else { return certificate.topics.count == 1 ? nil : Rejection(.missingTopic) }
    return outcome
  }

  /// Returns the bundle identifier in a topic; nil if the topic is malformed or lacks the suffix of its push type.
  /// Without a push type, any suffix is allowed.
  static func bundleID(of topic: Span<UInt8>, _ pushType: PushType?) -> String? {
    guard !topic.isEmpty, topic.count <= Limits.topicBytes else { return nil }
    for index in topic.indices where !isAllowed(topic[index]) { return nil }
    let found = suffix(of: topic)
    if let pushType {
      guard pushType.topicSuffix == found else { return nil }
      // An MDM topic is the user id in the subject of the MDM push certificate.
      if pushType == .mdm, !ASCII.hasPrefix(topic, "com.apple.mgmt.") { return nil }
    }
    let length = topic.count - (found?.utf8.count ?? 0)
    return length > 0 ? ASCII.string(topic.extracting(0..<length)) : nil
  }

  /// Returns the push type suffix at the end of the topic; nil if there is none.
  private static func suffix(of topic: Span<UInt8>) -> String? {
    for type in PushType.allCases {
      if let suffix = type.topicSuffix, ASCII.hasSuffix(topic, suffix) { return suffix }
    }
    return nil
  }

  /// Returns whether the byte may occur in a bundle identifier: letters, digits, hyphens and periods
  /// ("CFBundleIdentifier").
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
    default: false
    }
  }
}
