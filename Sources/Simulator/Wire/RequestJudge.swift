internal import DequeModule
internal import HTTP2
internal import Reactor

/// What the judge of a connection's requests may do to all of it.
protocol JudgedConnection: AnyObject {
  var number: Int { get }
  var environment: Environment { get }
  var session: ServerSession { get }
  func goAway(_ plan: Effect.GoAway, lastStream: Int32, debugData: [UInt8]?)
  func cut(_ way: Effect.Cut)
  func flush()
}

extension JudgedConnection {
  func goAway(_ plan: Effect.GoAway, lastStream: Int32) { goAway(plan, lastStream: lastStream, debugData: nil) }
}

/// Decides what becomes of each request of one connection, and keeps the connection's standing.
///
/// Request → validation → fault, if any → reply: at once, after a time, out of order, or never.
final class RequestJudge {
  /// For the rare moments that concern all of it; the way of every request uses what follows.
  private unowned let connection: any JudgedConnection
  private let number: Int
  private let session: ServerSession
  private let environment: Environment
  private let books: Books
  private var identity = RequestValidation.Identity()
  private var conduct: ConnectionConduct
  private var openStreams = 0
  /// Streams above it are not processed any more.
  private var lastStream = Int32.max
  /// The highest stream whose push was delivered and whose answer did not leave at once: no GOAWAY may deny it.
  private var lastUnanswered: Int32 = 0
  /// Replies that wait to be sent out of order.
  private var heldBack: [Reply] = []
  private var heldBackGoal = 0
  /// Replies that wait for the configured latency, in order.
  private var delayed = Deque<(due: Instant, reply: Reply)>()
  private var isEnded = false
  /// The `iat` of the provider token last reported.
  private var reportedToken: Int64 = 0
  private(set) var certificateProblem: [UInt8] = []

  /// Marks a stream that was refused as it opened, should its request still come.
  private final class Refused: Sendable {}
  private static let refused = Refused()

  init(connection: any JudgedConnection, books: Books) {
    self.connection = connection
    number = connection.number
    session = connection.session
    environment = connection.environment
    self.books = books
    conduct = ConnectionConduct(policy: books.configuration.conduct, isProven: false)
  }

  // MARK: The connection's standing

  /// A client certificate was shown: false when the connection must end (see `certificateProblem`).
  func present(_ certificate: ClientCertificate, nowSeconds: Int64, _ notAfter: Int64) -> Bool {
    let problem: Reason? =
      certificate.topics.isEmpty || notAfter < nowSeconds
      ? .badCertificate : certificate.environments.contains(environment) ? nil : .badCertificateEnvironment
    if let problem {
      certificateProblem = AnswerBody.json(reason: problem.rawValue, timestampMilliseconds: nil)
      return false
    }
    identity.certificate = certificate
    conduct = ConnectionConduct(policy: books.configuration.conduct, isProven: true)
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
    books.counters.maxConcurrentStreams = max(books.counters.maxConcurrentStreams, openStreams)
    switch conduct.admit(openStreams: openStreams) {
    case .admitted: return
    case .refused:
      books.counters.streamsRefused += 1
      stream.context = Self.refused
      session.reset(stream, .refusedStream)
    case .violation:
      books.counters.limitViolations += 1
      violate(before: stream)
    }
  }

  func closed(_ stream: ServerStream, _ code: ErrorCode) {
    openStreams -= 1
    if code == .cancel { books.counters.cancelled += 1 }
  }

  func request(_ stream: ServerStream) {
    guard stream.id <= lastStream, stream.context == nil else { return }
    let request = books.request
    request.load(stream)
    books.counters.requests += 1
    if request.isAuthorizationNeverIndexed { books.counters.neverIndexedAuthorization += 1 }
    let own = request.with(.id) { MessageID($0) } ?? nil
    let id = own ?? .random(&books.dice)
    let verdict = RequestValidation.validate(
      request, &identity, &books.knowledge, environment, nowSeconds: books.nowSeconds)
    reportProviderToken()
    switch verdict {
    case .failure(let rejection): reject(stream, id, rejection)
    case .success(let accepted):
      if books.exceedsRate(accepted.token) { return reject(stream, id, Rejection(.tooManyRequests)) }
      accept(stream, request, accepted.token, id, isOwnID: own != nil)
    }
  }

  private func reportProviderToken() {
    guard reportedToken != identity.binding.issuedAt, let key = identity.binding.key else { return }
    reportedToken = identity.binding.issuedAt
    books.sawProviderToken(key, issuedAt: identity.binding.issuedAt)
  }

  // MARK: Verdicts

  private func reject(_ stream: ServerStream, _ id: MessageID, _ rejection: Rejection) {
    let answer = Effect.Answer(rejection.reason)
    reply(stream, id, .rejected(answer, timestampMilliseconds: rejection.timestampMilliseconds))
    penalize(answer, stream)
  }

  private func penalize(_ answer: Effect.Answer, _ stream: ServerStream) {
    books.counters.rejected[answer.reason, default: 0] += 1
    guard let reason = Reason(rawValue: answer.reason) else { return }
    if reason == .expiredProviderToken { wedge(except: stream) }
    guard case .goAway(let cause) = conduct.pushRejected(reason) else { return }
    let json = AnswerBody.json(reason: cause.rawValue, timestampMilliseconds: nil)
    connection.goAway(.init(), lastStream: session.lastStreamID, debugData: json)
  }

  private func accept(
    _ stream: ServerStream, _ request: PushRequest, _ token: TokenRegistry.Index, _ id: MessageID, isOwnID: Bool
  ) {
    let effect = books.faults.effect(
      onRequestFor: books.knowledge.tokens.token(at: token),
      .init(environment: environment, connection: number, now: books.loop.now))
    guard let effect else {
      books.deliver(request, to: token, id: id, isOwnID: isOwnID)
      conduct.pushAccepted()
      books.counters.accepted += 1
      return reply(stream, id, .accepted)
    }
    books.counters.faults[effect.name, default: 0] += 1
    if effect.delivers {
      books.deliver(request, to: token, id: id, isOwnID: isOwnID)
      lastUnanswered = max(lastUnanswered, stream.id)
    }
    if effect.accepts {
      conduct.pushAccepted()
      books.counters.accepted += 1
    }
    apply(effect, stream, id)
  }

  private func apply(_ effect: Effect, _ stream: ServerStream, _ id: MessageID) {
    switch effect {
    case .answer(let answer):
      let timestamp = answer.age.map { books.loop.clock.wallMicroseconds / 1000 - $0.nanoseconds / 1_000_000 }
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
      // Faults of connections are never chosen for requests.
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
    // Client streams are odd; the one before this is two less.
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
    books.loop.schedule(after: time) { [weak self] in
      guard let self, !isEnded else { return }
      conduct.collapse(to: nil)
      connection.flush()
    }
  }

  /// An expired provider token takes the streams in flight with it: two RST_STREAM each, as observed. Their pushes were
  /// delivered, so the code must not be the one that says otherwise.
  private func wedge(except stream: ServerStream) {
    guard books.configuration.conduct.dropsLimit else { return }
    let inFlight = heldBack + delayed.map(\.reply)
    heldBack = []
    delayed = []
    for reply in inFlight where reply.streamID != stream.id && reply.stream.id == reply.streamID {
      if !reply.stream.isClosed { reset(reply.stream, ErrorCode.cancel.rawValue, true) }
    }
  }

  // MARK: Replies

  private func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: Reply.Content) -> Reply {
    let uniqueID = environment == .sandbox ? MessageID.random(&books.dice) : nil
    return Reply(stream: stream, streamID: stream.id, id: id, uniqueID: uniqueID, content: content)
  }

  private func reply(_ stream: ServerStream, _ id: MessageID, _ content: Reply.Content) {
    let reply = makeReply(stream, id, content)
    guard books.configuration.latency > .zero else { return reply.send(on: session) }
    if case .rejected = content {} else { lastUnanswered = max(lastUnanswered, stream.id) }
    delayed.append((books.loop.now + books.configuration.latency, reply))
    if delayed.count == 1 { scheduleDelayed() }
  }

  private func scheduleDelayed() {
    guard let first = delayed.first else { return }
    books.loop.schedule(after: first.due - books.loop.clock.now) { [weak self] in
      guard let self, !isEnded else { return }
      while let first = delayed.first, first.due <= books.loop.now {
        delayed.removeFirst()
        first.reply.send(on: session)
      }
      connection.flush()
      scheduleDelayed()
    }
  }

  private func send(_ reply: Reply, after time: Duration) {
    books.loop.schedule(after: time) { [weak self] in
      guard let self, !isEnded else { return }
      reply.send(on: session)
      connection.flush()
    }
  }

  private func holdBack(_ reply: Reply, _ count: Int) {
    heldBack.append(reply)
    heldBackGoal = count
    if heldBack.count >= count { return releaseHeldBack() }
    guard heldBack.count == 1 else { return }
    books.loop.schedule(after: Limits.reorder) { [weak self] in
      guard let self, !isEnded else { return }
      releaseHeldBack()
      connection.flush()
    }
  }

  private func releaseHeldBack() {
    for reply in heldBack.reversed() { reply.send(on: session) }
    heldBack = []
  }
}

extension PushRequest {
  /// Takes over what a stream received.
  fileprivate func load(_ stream: ServerStream) {
    reset()
    stream.forEachField { name, value, isNeverIndexed in
      append(name: name, value: value, isNeverIndexed: isNeverIndexed)
    }
    stream.withBody { append(body: $0) }
    // What the session did not store counts all the same.
    countBody(stream.bodyCount)
  }
}
