internal import HTTP2
internal import TLS

/// APNs' behavior on a connection.
final class APNsServiceAdapter: ServiceAdapter {
  let place: FaultPlan.Place
  private let environment: Environment
  private let simulated: SimulatedService
  private var identity = RequestValidation.Identity()
  /// `iat` of the last provider token reported to the counters.
  private var reportedToken: Int64 = 0
  // Data of the request accepted last, for `deliver`.
  private var token: TokenRegistry.Index = 0
  private var isOwnID = false
  /// The channel that the request publishes on; nil for a push to a device.
  private var broadcast: BroadcastValidation.Accepted?
  private var isBroadcast = false

  init(environment: Environment, simulated: SimulatedService) {
    self.environment = environment
    self.simulated = simulated
    place = .apns(environment)
  }

  var storedBodyBytes: Int { Limits.voipPayloadBytes + 1 }
  var conduct: StreamLimitPolicy.Policy { simulated.configuration.conduct }
  var isProven: Bool { identity.certificate != nil }

  func present(_ certificate: CertificateInfo, nowSeconds: Int64) -> [UInt8]? {
    Self.present(certificate, to: environment, nowSeconds: nowSeconds, &identity)
  }

  /// Stores the certificate in `identity` if it is acceptable. Otherwise returns the debug data for the GOAWAY.
  static func present(
    _ certificate: CertificateInfo, to environment: Environment, nowSeconds: Int64, _ identity: inout ProviderIdentity
  ) -> [UInt8]? {
    let shown = ClientCertificate(certificate)
    let problem: Reason? =
      shown.topics.isEmpty || certificate.notAfter < nowSeconds
      ? .badCertificate : shown.environments.contains(environment) ? nil : .badCertificateEnvironment
    if let problem { return AnswerBody.json(reason: problem.rawValue, timestampMilliseconds: nil) }
    identity.certificate = shown
    return nil
  }

  func rule(on stream: ServerStream) -> Ruling {
    let request = simulated.request
    request.load(stream)
    simulated.counters.requests += 1
    if request.isAuthorizationNeverIndexed { simulated.counters.neverIndexedAuthorization += 1 }
    isBroadcast = BroadcastValidation.serves(request)
    if isBroadcast { return ruleOnBroadcast(request) }
    let own = request.with(.id) { MessageID($0) } ?? nil
    let id = own ?? .random(&simulated.dice)
    let verdict = RequestValidation.validate(
      request, &identity, &simulated.knowledge, environment, nowSeconds: simulated.nowSeconds)
    reportProviderToken()
    switch verdict {
    case .failure(let rejection):
      return .refused(
        Effect.Answer(rejection.reason), timestampMilliseconds: rejection.timestampMilliseconds, id: id)
    case .success(let accepted):
      if simulated.exceedsRate(accepted.token) {
        return .refused(Effect.Answer(.tooManyRequests), timestampMilliseconds: nil, id: id)
      }
      token = accepted.token
      isOwnID = own != nil
      return .accepted(.device(simulated.knowledge.tokens.token(at: token)), id: id)
    }
  }

  private func ruleOnBroadcast(_ request: PushRequest) -> Ruling {
    broadcast = nil
    let id = (request.with(.requestID) { MessageID($0) } ?? nil) ?? .random(&simulated.dice)
    let verdict = BroadcastValidation.validate(
      request, &identity, &simulated.knowledge, environment, nowMilliseconds: simulated.batchMicroseconds / 1000)
    reportProviderToken()
    switch verdict {
    case .failure(let rejection): return .refused(Effect.Answer(rejection.reason), timestampMilliseconds: nil, id: id)
    case .success(let accepted):
      broadcast = accepted
      return .accepted(.channel(accepted.channel), id: id)
    }
  }

  private func reportProviderToken() {
    guard reportedToken != identity.binding.issuedAt, let key = identity.binding.key else { return }
    reportedToken = identity.binding.issuedAt
    simulated.sawProviderToken(key, issuedAt: identity.binding.issuedAt)
  }

  func deliver(_ id: MessageID) {
    guard isBroadcast else {
      return simulated.deliver(simulated.request, to: token, id: id, isOwnID: isOwnID, in: environment)
    }
    guard let broadcast else { return }
    simulated.knowledge.channels.publish(
      simulated.request.withBody { ASCII.array($0) }, on: broadcast.channel, environment, broadcast.bundle,
      nowMilliseconds: simulated.batchMicroseconds / 1000)
  }

  func penalty(for answer: Effect.Answer) -> Reason? { Reason(rawValue: answer.reason) }

  func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply {
    let uniqueID = environment == .sandbox ? MessageID.random(&simulated.dice) : nil
    return PushReply(
      stream: stream, streamID: stream.id, id: id, uniqueID: uniqueID, content: content,
      idName: isBroadcast ? "apns-request-id" : "apns-id")
  }

  func goAwayDebugData(isIdle: Bool) -> [UInt8] {
    let reason = isIdle ? Reason.idleTimeout : .shutdown
    return AnswerBody.json(reason: reason.rawValue, timestampMilliseconds: nil)
  }

  // MARK: Responses

  func write(_ reply: PushReply, on session: ServerSession) {
    let stream = reply.stream
    switch reply.content {
    case .accepted, .pretended:
      guard reply.uniqueID == nil, reply.idName == "apns-id" else {
        return session.respond(to: stream, status: 200, fields: idFields(reply))
      }
      let text = reply.id.text
      session.respond(to: stream, status: 200, name: "apns-id", value: text.span)
    case .rejected(let answer, let timestamp):
      let body = AnswerBody.json(reason: answer.reason, timestampMilliseconds: timestamp)
      session.respond(to: stream, status: answer.status, fields: errorFields(reply, answer), body: body)
    case .written(let status, let fields, let body):
      session.respond(to: stream, status: status, fields: fields, body: body)
    case .shaped(let shape): write(shape, reply, on: session)
    }
  }

  private func write(_ shape: Effect.Shape, _ reply: PushReply, on session: ServerSession) {
    let stream = reply.stream
    switch shape {
    case .split:
      let answer = Effect.Answer(.tooManyRequests)
      let body = AnswerBody.json(reason: answer.reason, timestampMilliseconds: nil)
      session.respond(to: stream, status: answer.status, fields: errorFields(reply, answer), body: body, chunkBytes: 1)
    case .interim:
      session.inform(stream, status: 103, fields: [HeaderField("link", "</>; rel=preload")])
      session.respond(to: stream, status: 200, fields: idFields(reply))
    case .text: session.respond(to: stream, status: 503, fields: PushReply.textFields, body: PushReply.text)
    case .empty: session.respond(to: stream, status: 500, fields: idFields(reply))
    case .withoutID: session.respond(to: stream, status: 200)
    case .extraHeaders:
      let extra = [HeaderField("x-apns-trace", "0123456789abcdef"), HeaderField("server-timing", "push;dur=1")]
      session.respond(to: stream, status: 200, fields: extra + idFields(reply) + extra)
    }
  }

  private func idFields(_ reply: PushReply) -> [HeaderField] {
    let own = [HeaderField(reply.idName, reply.id.description)]
    return reply.uniqueID.map { own + [HeaderField("apns-unique-id", $0.description)] } ?? own
  }

  private func errorFields(_ reply: PushReply, _ answer: Effect.Answer) -> [HeaderField] {
    let fields = [HeaderField("content-type", "application/json")] + idFields(reply)
    return answer.retryAfterSeconds.map { fields + [HeaderField("retry-after", String($0))] } ?? fields
  }
}

extension ClientCertificate {
  /// Reads Apple's extensions. Old certificates have no list of topics; the user id of the subject is then the only
  /// one.
  fileprivate init(_ info: CertificateInfo) {
    var environments: Set<Environment> = []
    if info.allowsProduction { environments.insert(.production) }
    if info.allowsDevelopment { environments.insert(.sandbox) }
    self.init(
      topics: Set(info.topics.isEmpty ? [info.userID].compactMap { $0 } : info.topics), environments: environments)
  }
}

extension PushRequest {
  /// Loads the request from a stream.
  func load(_ stream: ServerStream) {
    reset()
    stream.forEachField { name, value, isNeverIndexed in
      append(name: name, value: value, isNeverIndexed: isNeverIndexed)
    }
    stream.withBody { append(body: $0) }
    // Also count the part of the body that the session did not store.
    countBody(stream.bodyCount)
  }
}
