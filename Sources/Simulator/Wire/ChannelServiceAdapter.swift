internal import HTTP2
internal import JSON
internal import TLS

/// Channel management's behavior on a connection. It answers all requests itself and delivers nothing.
final class ChannelServiceAdapter: ServiceAdapter {
  let place: FaultPlan.Place
  private let environment: Environment
  private let simulated: SimulatedService
  private var identity = ProviderIdentity()

  init(environment: Environment, simulated: SimulatedService) {
    self.environment = environment
    self.simulated = simulated
    place = .channels(environment)
  }

  var storedBodyBytes: Int { Limits.broadcastPayloadBytes + 1 }
  var conduct: StreamLimitPolicy.Policy { simulated.configuration.conduct }
  var isProven: Bool { true }

  func present(_ certificate: CertificateInfo, nowSeconds: Int64) -> [UInt8]? {
    APNsServiceAdapter.present(certificate, to: environment, nowSeconds: nowSeconds, &identity)
  }

  func rule(on stream: ServerStream) -> Ruling {
    let request = simulated.request
    request.load(stream)
    simulated.counters.requests += 1
    let id = request.with(.requestID) { MessageID($0) } ?? nil
    let shown = id ?? .random(&simulated.dice)
    switch ManagementValidation.validate(
      request, &identity, &simulated.knowledge, environment, nowSeconds: simulated.nowSeconds)
    {
    case .failure(let rejection): return refuse(rejection.reason, shown)
    case .success(let accepted): return carryOut(accepted, shown)
    }
  }

  private func carryOut(_ accepted: ManagementValidation.Accepted, _ id: MessageID) -> Ruling {
    switch accepted {
    case .create(let bundle, let policy):
      let name = channelName()
      guard simulated.knowledge.channels.create(name, environment, bundle, policy: policy) else {
        return refuse(.cannotCreateChannelConfig, id)
      }
      return answer(201, [HeaderField("apns-channel-id", name)], id)
    case .read(let bundle, let channel):
      let policy = simulated.knowledge.channels.policy(of: channel, environment, bundle) ?? 0
      return answer(
        200, [], id, body: Array(#"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#.utf8))
    case .delete(let bundle, let channel):
      _ = simulated.knowledge.channels.delete(channel, environment, bundle)
      return answer(204, [], id)
    case .list(let bundle):
      var writer = JSONWriter()
      writer.object { writer in
        writer.member(
          "channels",
          array: { writer in
            for name in simulated.knowledge.channels.names(environment, bundle) { writer.value(name) }
          })
      }
      return answer(200, [], id, body: writer.bytes)
    }
  }

  /// Returns a new channel id: 16 bytes in base64, like those observed.
  private func channelName() -> String {
    let id = MessageID.random(&simulated.dice)
    var bytes: [UInt8] = []
    for word in [id.high, id.low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + "=="
  }

  private func answer(_ status: Int, _ fields: [HeaderField], _ id: MessageID, body: [UInt8] = []) -> Ruling {
    let type = body.isEmpty ? [] : [HeaderField("content-type", "application/json")]
    return .answered(
      status: status, fields: type + [HeaderField("apns-request-id", id.description)] + fields, body: body, id: id)
  }

  private func refuse(_ reason: Reason, _ id: MessageID) -> Ruling {
    simulated.counters.rejected[reason.rawValue, default: 0] += 1
    return answer(
      reason.status, [], id, body: AnswerBody.json(reason: reason.rawValue, timestampMilliseconds: nil))
  }

  func deliver(_ id: MessageID) {}
  func penalty(for answer: Effect.Answer) -> Reason? { nil }

  func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply {
    PushReply(stream: stream, streamID: stream.id, id: id, uniqueID: nil, content: content)
  }

  func write(_ reply: PushReply, on session: ServerSession) {
    if case .written(let status, let fields, let body) = reply.content {
      session.respond(to: reply.stream, status: status, fields: fields, body: body)
    }
  }

  func goAwayDebugData(isIdle: Bool) -> [UInt8] {
    AnswerBody.json(reason: (isIdle ? Reason.idleTimeout : .shutdown).rawValue, timestampMilliseconds: nil)
  }
}
