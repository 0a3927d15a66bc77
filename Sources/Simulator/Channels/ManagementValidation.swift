internal import JSON

/// Validates a request to the channel management API, in this order:
///
/// ```
/// path, method → repeated headers → authentication → app → request id → capability → channel or body → channel exists
/// ```
package enum ManagementValidation {
  package enum Accepted: Equatable, Sendable {
    case create(bundle: String, policy: Int)
    case read(bundle: String, channel: String)
    case delete(bundle: String, channel: String)
    case list(bundle: String)
  }

  private enum Method { case post, get, delete }

  package static func validate(
    _ request: PushRequest, _ identity: inout ProviderIdentity, _ knowledge: inout ServiceKnowledge,
    _ environment: Environment, nowSeconds: Int64
  ) -> Result<Accepted, Rejection> {
    let isList = request.with(.path) { ASCII.hasSuffix($0, "/all-channels") } == true
    let bundle: String
    switch ChannelRules.bundle(of: request, after: "/1/apps/", before: isList ? "/all-channels" : "/channels") {
    case .success(let found): bundle = found
    case .failure(let rejection): return .failure(rejection)
    }
    guard let method = method(of: request), !isList || method == .get else {
      return .failure(Rejection(.methodNotAllowed))
    }
    if let rejection = DuplicateRules.check(request)
      ?? RequestValidation.authenticate(request, &identity, &knowledge, environment, nowSeconds)
      ?? ChannelRules.owner(of: bundle, identity) ?? ChannelRules.requestID(request)
    {
      return .failure(rejection)
    }
    if knowledge.channels.withoutCapability.contains(bundle) { return .failure(Rejection(.featureNotEnabled)) }
    if isList { return .success(.list(bundle: bundle)) }
    if method == .post { return policy(in: request).map { .create(bundle: bundle, policy: $0) } }
    return ChannelRules.channel(of: request).flatMap { channel in
      let isKnown = knowledge.channels.policy(of: channel, environment, bundle) != nil
      switch method {
      case .get:
        return isKnown
          ? .success(.read(bundle: bundle, channel: channel)) : .failure(Rejection(.channelNotRegistered))
      // Observed: APNs answers a DELETE of an unknown channel with BadPath.
      default:
        return isKnown ? .success(.delete(bundle: bundle, channel: channel)) : .failure(Rejection(.badPath))
      }
    }
  }

  private static func method(of request: PushRequest) -> Method? {
    switch request.with(.method, ASCII.string) {
    case "POST": .post
    case "GET": .get
    case "DELETE": .delete
    default: nil
    }
  }

  /// Returns the storage policy, 0 or 1, in a body such as `{"message-storage-policy":1,"push-type":"LiveActivity"}`.
  private static func policy(in request: PushRequest) -> Result<Int, Rejection> {
    guard request.bodyBytes > 0 else { return .failure(Rejection(.payloadEmpty)) }
    var (policy, type) = (nil as Int64?, nil as String?)
    var reader = JSONReader(request.withBody { ASCII.array($0) })
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        switch name {
        case "message-storage-policy": policy = try reader.peek() == .number ? try reader.readInteger() : -1
        case "push-type": type = try reader.readString()
        default: try reader.skip()
        }
      }
      try reader.finish()
    } catch {
      return .failure(Rejection(.badRequestPayload))
    }
    guard let type else { return .failure(Rejection(.missingPushType)) }
    guard type == "LiveActivity" else { return .failure(Rejection(.invalidPushType)) }
    // Observed: APNs answers a missing or unknown policy with this reason, which Apple does not document.
    guard let policy, policy == 0 || policy == 1 else { return .failure(Rejection(.missingChannelQueueSize)) }
    return .success(Int(policy))
  }
}
