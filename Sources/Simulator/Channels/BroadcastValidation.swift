/// Validates a request to publish on a broadcast channel, `POST /4/broadcasts/apps/<bundle id>`, in this order:
///
/// ```
/// path, method → repeated headers → authentication → app → apns- headers → payload → capability, channel → rate limit
/// ```
/// Apple documents the reasons ("Handling error responses from APNs") and that authentication is checked before the
/// rest of the request. Apple does not publish the order of the other checks; as for device pushes, it is our choice.
package enum BroadcastValidation {
  package struct Accepted: Equatable, Sendable {
    package let bundle: String
    package let channel: String
  }

  static let path = "/4/broadcasts/apps/"

  /// Returns whether the path belongs to this API (`/4/…`).
  static func serves(_ request: PushRequest) -> Bool {
    request.with(.path) { ASCII.hasPrefix($0, "/4/") } == true
  }

  package static func validate(
    _ request: PushRequest, _ identity: inout ProviderIdentity, _ knowledge: inout ServiceKnowledge,
    _ environment: Environment, nowMilliseconds: Int64
  ) -> Result<Accepted, Rejection> {
    let bundle: String
    switch ChannelRules.bundle(of: request, after: path, before: "") {
    case .success(let found): bundle = found
    case .failure(let rejection): return .failure(rejection)
    }
    guard request.with(.method, { ASCII.equal($0, "POST") }) == true else {
      return .failure(Rejection(.methodNotAllowed))
    }
    if let rejection = DuplicateRules.check(request)
      ?? RequestValidation.authenticate(request, &identity, &knowledge, environment, nowMilliseconds / 1000)
      ?? ChannelRules.owner(of: bundle, identity) ?? ChannelRules.requestID(request)
    {
      return .failure(rejection)
    }
    let channel: String
    switch ChannelRules.channel(of: request) {
    case .success(let found): channel = found
    case .failure(let rejection): return .failure(rejection)
    }
    if let rejection = headers(request) ?? payload(request, knowledge.rules.checksPayload) {
      return .failure(rejection)
    }
    if knowledge.channels.withoutCapability.contains(bundle) { return .failure(Rejection(.featureNotEnabled)) }
    guard let policy = knowledge.channels.policy(of: channel, environment, bundle) else {
      return .failure(Rejection(.channelNotRegistered))
    }
    // A channel without storage (policy 0) accepts only the expiration 0.
    if policy == 0, request.with(.expiration, { ASCII.decimal($0) }) != .some(0) {
      return .failure(Rejection(.badExpirationDate))
    }
    if knowledge.channels.isTooSoon(channel, environment, bundle, nowMilliseconds: nowMilliseconds) {
      return .failure(Rejection(.tooManyRequests))
    }
    return .success(Accepted(bundle: bundle, channel: channel))
  }

  private static func headers(_ request: PushRequest) -> Rejection? {
    guard let type = request.with(.pushType, { PushType($0) }) else { return Rejection(.missingPushType) }
    guard type == .liveactivity else { return Rejection(.invalidPushType) }
    if request.with(.expiration, { ASCII.decimal($0) == nil }) ?? true { return Rejection(.badExpirationDate) }
    let priority = request.with(.priority) { ASCII.decimal($0) ?? -1 } ?? 10
    return priority == 10 || priority == 5 ? nil : Rejection(.badPriority)
  }

  private static func payload(_ request: PushRequest, _ isStrict: Bool) -> Rejection? {
    if request.bodyBytes == 0 { return Rejection(.payloadEmpty) }
    if request.bodyBytes > Limits.broadcastPayloadBytes { return Rejection(.payloadTooLarge) }
    let body = request.withBody { ASCII.array($0) }
    // A follower already shows an activity, so a broadcast cannot start one.
    if ActivityStart(body) != nil { return Rejection(.badRequestPayload) }
    guard isStrict, !PayloadKeys.isWellFormed(body, .liveactivity) else { return nil }
    return Rejection(.badRequestPayload)
  }
}
