internal import HTTP2
internal import TLS

/// FCM's behavior on an HTTP/2 connection.
final class FCMServiceAdapter: ServiceAdapter {
  let place = FaultPlan.Place.fcm
  let isProven = true
  let storedBodyBytes = Limits.fcmBodyBytes
  private let simulated: SimulatedService
  /// The request accepted last, for `deliver`.
  private var accepted: FCMService.Accepted?
  /// Response bodies for accepted requests, by id, until they are sent.
  private var answers: [MessageID: [UInt8]] = [:]

  init(simulated: SimulatedService) {
    self.simulated = simulated
  }

  /// Policy of Google's front ends: 100 streams by default, and errors do not count against a connection.
  var conduct: StreamLimitPolicy.Policy {
    var policy = StreamLimitPolicy.Policy()
    policy.streams = simulated.configuration.fcmStreams
    policy.dropsLimit = false
    policy.errorPoints = 0
    return policy
  }

  /// Ignores client certificates.
  func present(_ certificate: CertificateInfo, nowSeconds: Int64) -> [UInt8]? { nil }

  func rule(on stream: ServerStream) -> Ruling {
    let id = MessageID.random(&simulated.dice)
    let request = FCMService.Request(
      method: stream.value(of: ":method") ?? "", path: stream.value(of: ":path") ?? "",
      authorization: stream.value(of: "authorization"), body: stream.withBody { ASCII.array($0) })
    switch simulated.fcm.judge(request) {
    case .failure(let error):
      return .answered(status: error.status, fields: error.fields, body: error.body, id: id)
    case .success(let accepted):
      self.accepted = accepted
      answers[id] = simulated.fcm.answer(accepted, id)
      return .accepted(.registration(accepted.name), id: id)
    }
  }

  func deliver(_ id: MessageID) {
    guard let accepted else { return }
    simulated.fcm.deliver(accepted, id: id, atMicroseconds: simulated.batchMicroseconds)
  }

  func penalty(for answer: Effect.Answer) -> Reason? {
    simulated.fcm.counters.rejected[answer.reason, default: 0] += 1
    return nil
  }

  func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply {
    PushReply(stream: stream, streamID: stream.id, id: id, uniqueID: nil, content: content)
  }

  func goAwayDebugData(isIdle: Bool) -> [UInt8] { Array((isIdle ? "session_timed_out" : "server_shutting_down").utf8) }

  // MARK: Responses

  private static let fields = [HeaderField("content-type", "application/json; charset=UTF-8")]

  func write(_ reply: PushReply, on session: ServerSession) {
    let answer = answers.removeValue(forKey: reply.id) ?? []
    let stream = reply.stream
    switch reply.content {
    case .accepted, .pretended: session.respond(to: stream, status: 200, fields: Self.fields, body: answer)
    case .written(let status, let fields, let body):
      session.respond(to: stream, status: status, fields: fields, body: body)
    case .rejected(let answer, _):
      let error = Self.error(answer)
      session.respond(to: stream, status: answer.status, fields: error.fields, body: error.body)
    case .shaped(let shape): write(shape, answer, stream, on: session)
    }
  }

  private static func error(_ answer: Effect.Answer) -> FCMError {
    var error =
      FCMError.named(answer.reason) ?? FCMError(answer.status, "Simulated fault.", [.fcm(answer.reason)])
    if answer.status != error.status { error = FCMError(answer.status, error.message, error.details) }
    error.retryAfter = answer.retryAfterSeconds.map { String($0) }
    return error
  }

  private func write(_ shape: Effect.Shape, _ answer: [UInt8], _ stream: ServerStream, on session: ServerSession) {
    switch shape {
    case .split:
      let error = FCMError.unavailable
      session.respond(to: stream, status: error.status, fields: error.fields, body: error.body, chunkBytes: 1)
    case .interim:
      session.inform(stream, status: 103, fields: [HeaderField("link", "</>; rel=preload")])
      session.respond(to: stream, status: 200, fields: Self.fields, body: answer)
    case .text: session.respond(to: stream, status: 503, fields: PushReply.textFields, body: PushReply.text)
    case .empty: session.respond(to: stream, status: 500)
    case .withoutID: session.respond(to: stream, status: 200)
    case .extraHeaders:
      session.respond(
        to: stream, status: 200, fields: Self.fields + [HeaderField("alt-svc", "h3=\":443\"; ma=2592000")], body: answer
      )
    }
  }
}
