internal import DequeModule
internal import HTTP2
internal import Reactor
internal import TLS
internal import Time

/// The properties and operations of a connection that its request judge needs.
protocol JudgedConnection: AnyObject {
  var number: Int { get }
  var session: ServerSession { get }
  func goAway(_ plan: Effect.GoAway, lastStream: Int32, debugData: [UInt8]?)
  func cut(_ way: Effect.Cut)
  func flush()
}

extension JudgedConnection {
  func goAway(_ plan: Effect.GoAway, lastStream: Int32) { goAway(plan, lastStream: lastStream, debugData: nil) }
}

/// Decides what happens to each request of one connection.
///
/// Request → validation → fault, if any → answer: at once, delayed, out of order, or never.
final class RequestJudge {
  /// Used only for operations on the whole connection; the per-request path uses the properties below.
  private unowned let connection: any JudgedConnection
  private let number: Int
  private let session: ServerSession
  private let adapter: any ServiceAdapter
  private let simulated: SimulatedService
  private var conduct: StreamLimitPolicy
  private var openStreams = 0
  /// Streams with higher ids are not processed any more.
  private var lastStream = Int32.max
  /// The highest stream whose push was delivered but not answered at once. No GOAWAY may report it as not processed.
  private var lastUnanswered: Int32 = 0
  /// Answers held to be sent in reverse order.
  private var heldBack: [PushReply] = []
  private var heldBackGoal = 0
  /// Answers that wait for the configured latency, in order.
  private var delayed = Deque<(due: Instant, reply: PushReply)>()
  private var isEnded = false
  private(set) var certificateProblem: [UInt8] = []

  /// Marks a stream that was reset, in case its request still arrives.
  private final class Refused: Sendable {}
  private static let refused = Refused()

  init(connection: any JudgedConnection, adapter: any ServiceAdapter, simulated: SimulatedService) {
    self.connection = connection
    number = connection.number
    session = connection.session
    self.adapter = adapter
    self.simulated = simulated
    conduct = StreamLimitPolicy(policy: adapter.conduct, isProven: adapter.isProven)
  }

  // MARK: State of the connection

  /// Checks the client certificate that the provider presented. Returns false if the connection must end; the GOAWAY
  /// then contains `certificateProblem`.
  func present(_ certificate: CertificateInfo) -> Bool {
    if let problem = adapter.present(certificate, nowSeconds: simulated.nowSeconds) {
      certificateProblem = problem
      return false
    }
    conduct = StreamLimitPolicy(policy: adapter.conduct, isProven: adapter.isProven)
    return true
  }

  func limitToSend() -> Int? { conduct.limitToSend() }

  func settingsAcknowledged() { conduct.settingsAcknowledged() }

  func beginDraining(lastStream: Int32) {
    self.lastStream = min(self.lastStream, lastStream)
    conduct.beginDraining()
  }

  func ended() {
    isEnded = true
    heldBack = []
    delayed = []
  }

  // MARK: Streams

  func opened(_ stream: ServerStream) {
    openStreams += 1
    simulated.counters.maxConcurrentStreams = max(simulated.counters.maxConcurrentStreams, openStreams)
    switch conduct.admit(openStreams: openStreams) {
    case .admitted: return
    case .refused:
      simulated.counters.streamsRefused += 1
      stream.context = Self.refused
      session.reset(stream, .refusedStream)
    case .violation:
      simulated.counters.limitViolations += 1
      violate(before: stream)
    }
  }

  func closed(_ stream: ServerStream, _ code: ErrorCode) {
    openStreams -= 1
    if code == .cancel { simulated.counters.cancelled += 1 }
  }

  func request(_ stream: ServerStream) {
    guard stream.id <= lastStream, stream.context == nil else { return }
    switch adapter.rule(on: stream) {
    case .refused(let answer, let timestamp, let id):
      reply(stream, id, .rejected(answer, timestampMilliseconds: timestamp))
      penalize(answer, stream)
    case .answered(let status, let fields, let body, let id):
      reply(stream, id, .written(status: status, fields: fields, body: body))
    case .pretended(let id): reply(stream, id, .pretended)
    case .accepted(let target, let id): accept(stream, target, id)
    }
  }

  // MARK: Verdicts

  private func penalize(_ answer: Effect.Answer, _ stream: ServerStream) {
    simulated.counters.rejected[answer.reason, default: 0] += 1
    guard let reason = adapter.penalty(for: answer) else { return }
    if reason == .expiredProviderToken { wedge(except: stream) }
    guard case .goAway(let cause) = conduct.pushRejected(reason) else { return }
    let json = AnswerBody.json(reason: cause.rawValue, timestampMilliseconds: nil)
    connection.goAway(.init(), lastStream: session.lastStreamID, debugData: json)
  }

  private func accept(_ stream: ServerStream, _ target: FaultPlan.Target, _ id: MessageID) {
    let effect = simulated.faults.effect(
      onRequestFor: target, .init(place: adapter.place, connection: number, now: simulated.loop.now))
    guard let effect else {
      adapter.deliver(id)
      conduct.pushAccepted()
      simulated.counters.accepted += 1
      return reply(stream, id, .accepted)
    }
    simulated.counters.faults[effect.name, default: 0] += 1
    if effect.delivers {
      adapter.deliver(id)
      lastUnanswered = max(lastUnanswered, stream.id)
    }
    if effect.accepts {
      conduct.pushAccepted()
      simulated.counters.accepted += 1
    }
    apply(effect, stream, id)
  }

  private func apply(_ effect: Effect, _ stream: ServerStream, _ id: MessageID) {
    switch effect {
    case .answer(let answer):
      let timestamp = answer.age.map { simulated.loop.clock.wallTime.milliseconds - $0.nanoseconds / 1_000_000 }
      reply(stream, id, .rejected(answer, timestampMilliseconds: timestamp))
      penalize(answer, stream)
    case .slow(let time): send(makeReply(stream, id, .accepted), after: time)
    case .silence: return
    case .reorder(let count): holdBack(makeReply(stream, id, .accepted), count)
    case .reset(let code, let thenClosed): reset(stream, code, thenClosed)
    case .shape(let shape): reply(stream, id, .shaped(shape))
    case .goAway(let plan): goAway(plan, stream, id)
    case .collapse(let limit, let time): collapse(to: limit, time, stream, id)
    case .violation: violate(before: stream)
    case .cut(let way): connection.cut(way)
    case .withholdWindow, .refuse, .delayHandshake, .breakHandshake, .wrongHost, .expiredCertificate, .delaySettings,
      .ignoreSettings, .unknownSettings:
      // Unreachable: faults of new connections are never selected for requests.
      reply(stream, id, .accepted)
    }
  }

  // MARK: Faults

  private func reset(_ stream: ServerStream, _ code: UInt32, _ thenClosed: Bool) {
    let id = stream.id
    stream.context = Self.refused
    session.reset(stream, ErrorCode(rawValue: code))
    if thenClosed {
      try? session.inject(AnswerBody.resetFrame(stream: id, code: ErrorCode.streamClosed.rawValue))
    }
  }

  private func goAway(_ plan: Effect.GoAway, _ stream: ServerStream, _ id: MessageID) {
    switch plan.lastStream {
    case .honest:
      if plan.ending != .silent { reply(stream, id, .accepted) }
      connection.goAway(plan, lastStream: session.lastStreamID)
    // Client stream ids are odd, so the previous id is two less.
    case .before: connection.goAway(plan, lastStream: max(lastUnanswered, stream.id - 2))
    case .none: connection.goAway(plan, lastStream: lastUnanswered)
    }
  }

  private func violate(before stream: ServerStream) {
    var plan = Effect.GoAway()
    plan.code = ErrorCode.refusedStream.rawValue
    plan.ending = .close
    connection.goAway(plan, lastStream: max(lastUnanswered, stream.id - 2), debugData: AnswerBody.violation)
  }

  private func collapse(to limit: Int, _ time: Duration, _ stream: ServerStream, _ id: MessageID) {
    conduct.collapse(to: limit)
    reply(stream, id, .accepted)
    simulated.loop.schedule(after: time) { [weak self] in
      guard let self, !isEnded else { return }
      conduct.collapse(to: nil)
      connection.flush()
    }
  }

  /// Resets the streams in flight after an expired provider token, each with two RST_STREAM frames, as observed. Their
  /// pushes were delivered, so the error code must not mean that they were not processed.
  private func wedge(except stream: ServerStream) {
    guard simulated.configuration.conduct.dropsLimit else { return }
    let inFlight = heldBack + delayed.map(\.reply)
    heldBack = []
    delayed = []
    for reply in inFlight where reply.streamID != stream.id && reply.stream.id == reply.streamID {
      if !reply.stream.isClosed { reset(reply.stream, ErrorCode.cancel.rawValue, true) }
    }
  }

  // MARK: Answers

  private func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply {
    adapter.makeReply(stream, id, content)
  }

  private func submit(_ reply: PushReply) {
    if reply.isWanted { adapter.write(reply, on: session) }
  }

  private func reply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) {
    let reply = makeReply(stream, id, content)
    guard simulated.configuration.latency > .zero else { return submit(reply) }
    if case .rejected = content {} else { lastUnanswered = max(lastUnanswered, stream.id) }
    delayed.append((simulated.loop.now + simulated.configuration.latency, reply))
    if delayed.count == 1 { scheduleDelayed() }
  }

  private func scheduleDelayed() {
    guard let first = delayed.first else { return }
    simulated.loop.schedule(after: first.due - simulated.loop.clock.now) { [weak self] in
      guard let self, !isEnded else { return }
      while let first = delayed.first, first.due <= simulated.loop.now {
        delayed.removeFirst()
        submit(first.reply)
      }
      connection.flush()
      scheduleDelayed()
    }
  }

  private func send(_ reply: PushReply, after time: Duration) {
    simulated.loop.schedule(after: time) { [weak self] in
      guard let self, !isEnded else { return }
      submit(reply)
      connection.flush()
    }
  }

  private func holdBack(_ reply: PushReply, _ count: Int) {
    heldBack.append(reply)
    heldBackGoal = count
    if heldBack.count >= count { return releaseHeldBack() }
    guard heldBack.count == 1 else { return }
    simulated.loop.schedule(after: Limits.reorder) { [weak self] in
      guard let self, !isEnded else { return }
      releaseHeldBack()
      connection.flush()
    }
  }

  private func releaseHeldBack() {
    for reply in heldBack.reversed() { submit(reply) }
    heldBack = []
  }
}
