/// Validation rules that all requests of the channel API share.
enum ChannelRules {
  /// Returns the bundle identifier between `prefix` and `suffix` of the path, or BadPath or TopicDisallowed.
  static func bundle(
    of request: PushRequest, after prefix: String, before suffix: String
  ) -> Result<String, Rejection> {
    let found = request.with(.path) { path -> String? in
      guard ASCII.hasPrefix(path, prefix), ASCII.hasSuffix(path, suffix),
        path.count > prefix.utf8.count + suffix.utf8.count
      else { return nil }
      return ASCII.string(path.extracting(prefix.utf8.count..<path.count - suffix.utf8.count))
    }
    guard let bundle = found ?? nil, !bundle.contains("/") else { return .failure(Rejection(.badPath)) }
    // The path must contain the bare bundle identifier, without a topic suffix.
    let topic = Array(bundle.utf8)
    guard TopicRules.bundleID(of: topic.span, nil) == bundle else { return .failure(Rejection(.topicDisallowed)) }
    return .success(bundle)
  }

  /// Returns TopicMismatch if the provider's certificate or key does not cover the app; nil if it does.
  static func owner(of bundle: String, _ identity: ProviderIdentity) -> Rejection? {
    if let certificate = identity.certificate {
      return certificate.topics.contains(bundle) ? nil : Rejection(.topicMismatch)
    }
    if let owned = identity.binding.key?.topics, !owned.contains(bundle) { return Rejection(.topicMismatch) }
    return nil
  }

  static func requestID(_ request: PushRequest) -> Rejection? {
    request.with(.requestID, { MessageID($0) == nil }) == true ? Rejection(.badMessageID) : nil
  }

  /// Returns the value of `apns-channel-id`, which must be base64, or MissingChannelId or BadChannelId.
  static func channel(of request: PushRequest) -> Result<String, Rejection> {
    guard let channel = request.with(.channelID, ASCII.string) else { return .failure(Rejection(.missingChannelID)) }
    let isBase64 = channel.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D: true
      default: false
      }
    }
    guard !channel.isEmpty, isBase64, channel.utf8.count % 4 == 0 else { return .failure(Rejection(.badChannelID)) }
    return .success(channel)
  }
}
