/// Validates the device token: it must exist in this environment and belong to this topic.
enum TokenRules {
  static func check(
    _ request: PushRequest, _ tokens: inout TokenRegistry, _ environment: Environment, defaultTopic: String? = nil
  ) -> Result<TokenRegistry.Index, Rejection> {
    let token = request.with(.path) { path in
      DeviceToken(hexadecimal: path.extracting(PathRules.devicePath.utf8.count..<path.count))
    }
    guard let token, let token else { return .failure(Rejection(.badDeviceToken)) }
    guard let index = tokens.find(token, in: environment) else { return .failure(Rejection(.badDeviceToken)) }
    if !isForTopic(request, tokens, index, defaultTopic) { return .failure(Rejection(.deviceTokenNotForTopic)) }
    switch tokens.state(of: index) {
    case .active: return .success(index)
    case .unregistered(let since): return .failure(Rejection(.unregistered, timestampMilliseconds: since))
    case .expired(let since): return .failure(Rejection(.expiredToken, timestampMilliseconds: since))
    }
  }

  private static func isForTopic(
    _ request: PushRequest, _ tokens: TokenRegistry, _ index: TokenRegistry.Index, _ defaultTopic: String?
  ) -> Bool {
    guard let own = tokens.topic(of: index) else { return true }
    let named = request.with(.topic) { ASCII.equal($0, own) }
    return named ?? (defaultTopic.map { Array($0.utf8) == own } ?? true)
  }
}
