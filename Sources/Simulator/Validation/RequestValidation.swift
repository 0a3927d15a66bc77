/// Validates a push request in the order in which the real service is believed to.
///
/// ```
/// path, method → repeated headers → authentication → apns- headers → topic → payload → device token
/// ```
///
/// Apple documents that authentication is checked before the device token; the order of the other checks is unpublished
/// and our choice. Validation performs no I/O: state that changes (the connection's key, newly accepted tokens) is
/// passed in.
package enum RequestValidation {
  /// A valid request.
  package struct Accepted: Equatable, Sendable {
    package let token: TokenRegistry.Index
    package let pushType: PushType?
  }

  package typealias Identity = ProviderIdentity
  package typealias Knowledge = ServiceKnowledge

  package static func validate(
    _ request: PushRequest, _ identity: inout Identity, _ knowledge: inout Knowledge, _ environment: Environment,
    nowSeconds: Int64
  ) -> Result<Accepted, Rejection> {
    if let rejection = PathRules.check(request) { return .failure(rejection) }
    if let rejection = DuplicateRules.check(request) { return .failure(rejection) }
    if let rejection = authenticate(request, &identity, &knowledge, environment, nowSeconds) {
      return .failure(rejection)
    }
    let pushType: PushType?
    switch HeaderRules.check(request) {
    case .success(let type): pushType = type
    case .failure(let rejection): return .failure(rejection)
    }
    if let rejection = checkTopic(request, pushType, &identity) { return .failure(rejection) }
    if let rejection = PayloadRules.check(request, pushType, isStrict: knowledge.rules.checksPayload) {
      return .failure(rejection)
    }
    switch TokenRules.check(request, &knowledge.tokens, environment, defaultTopic: defaultTopic(identity)) {
    case .success(let token): return .success(Accepted(token: token, pushType: pushType))
    case .failure(let rejection): return .failure(rejection)
    }
  }

  static func authenticate(
    _ request: PushRequest, _ identity: inout Identity, _ knowledge: inout Knowledge, _ environment: Environment,
    _ nowSeconds: Int64
  ) -> Rejection? {
    if let certificate = identity.certificate {
      // With a client certificate, the authorization header is ignored.
      return certificate.environments.contains(environment) ? nil : Rejection(.badCertificateEnvironment)
    }
    return AuthenticationRules.check(request, &identity.binding, &knowledge, environment, nowSeconds: nowSeconds)
  }

  private static func checkTopic(
    _ request: PushRequest, _ pushType: PushType?, _ identity: inout Identity
  ) -> Rejection? {
    if let certificate = identity.certificate { return TopicRules.check(request, pushType, certificate) }
    return TopicRules.check(request, pushType, &identity.binding)
  }

  private static func defaultTopic(_ identity: Identity) -> String? {
    guard let certificate = identity.certificate, certificate.topics.count == 1 else { return nil }
    return certificate.topics.first
  }
}
