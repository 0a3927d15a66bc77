internal import HTTPClient
internal import Logging
internal import Postgres
internal import PushTransport
internal import Reactor
internal import Store
internal import TLS
internal import Time
internal import Tracing

/// Thread `webhooks`: claims due events and posts them, every 250 ms, or as soon as a webhook that was busy answers.
final class WebhookWorker {
  /// A look-up result, passed on by the resolver's thread.
  private struct Found: Sendable {
    let webhook: Webhooks.Number
    let result: Result<WebhookRoute.Names, WebhookRoute.Refusal>
  }

  private let configuration: WebhookDeliveryConfiguration
  private let resolver: Resolver
  private let stopping: StopSignal
  private let loop: EventLoop
  private let rule: AddressRule
  private let found: Inbox<Found>
  private let log = Logger(label: "webhooks")
  private let database: OwnConnection
  private var targets: [Webhooks.Number: Target] = [:]
  /// Previous targets of webhooks that were changed while requests were in flight.
  private var replaced: [Target] = []
  /// Results of attempts that are not stored yet.
  private var results: [EventDeliveries.Result] = []
  private var isOffUntil = Instant(nanoseconds: 0)
  private var looksAgainAt = Instant(nanoseconds: 0)
  private var pause = PollBackoff(usual: WebhookDeliveryLimits.pollInterval)
  /// The last webhook of the previous round, after which the next one continues.
  private var last: Webhooks.Number = 0
  private var shares = Shares()
  private var proxyState = ProxyState()
  private var context: TLSContext?

  init(_ configuration: WebhookDeliveryConfiguration, _ resolver: Resolver, _ stopping: StopSignal) throws(SystemError)
  {
    self.configuration = configuration
    self.resolver = resolver
    self.stopping = stopping
    loop = try EventLoop(clock: configuration.clock)
    database = OwnConnection(configuration.databaseURL, WebhookDeliveryLimits.connectionOptions(log.label))
    rule = AddressRule(allowing: configuration.privateNetworks)
    found = try Inbox(capacity: WebhookDeliveryLimits.webhooksAtOnce * 4)
    try stopping.wake(loop)
    try loop.attach(found) { [unowned self] found in
      for answer in found { resolved(answer) }
    }
  }

  func run() {
    while !stopping.isRaised {
      round()
      loop.turn(atMost: WebhookDeliveryLimits.pollInterval)
    }
    let deadline = loop.clock.now + WebhookDeliveryLimits.drain
    while replaced.contains(where: { $0.underWay > 0 }) || targets.values.contains(where: { $0.underWay > 0 }),
      loop.clock.now < deadline
    {
      loop.turn(atMost: .milliseconds(100))
    }
    write()
    for target in targets.values { target.close() }
    for target in replaced { target.close() }
  }

  /// Removes the previous targets of changed webhooks once they are idle, and targets without events for some time,
  /// whose webhooks may have been deleted.
  private func forgetIdle() {
    let now = loop.clock.now
    for target in replaced where target.underWay == 0 { target.close() }
    replaced.removeAll { $0.underWay == 0 }
    for (webhook, target) in targets
    where target.underWay == 0 && !target.isAsking && now - target.servedAt > WebhookDeliveryLimits.idleTarget {
      target.close()
      targets[webhook] = nil
    }
  }

  private func round() {
    write()
    forgetIdle()
    guard results.isEmpty, loop.clock.now >= max(isOffUntil, looksAgainAt) else { return }
    do {
      let now = loop.clock.now
      let busy = targets.values.filter { room(for: $0, at: now) == 0 }.map(\.webhook)
      let due = try database.present().run(
        EventDeliveries.webhooks(atMost: WebhookDeliveryLimits.webhooksAtOnce, without: busy, after: last))
      last = due.last?.webhook ?? 0
      if due.isEmpty {
        looksAgainAt = loop.clock.now + pause.after(loop.clock.now - now, at: loop.clock.now)
      } else {
        pause.stir(at: now)
      }
      for listener in due { try serve(target(listener)) }
      write()
    } catch {
      lost(error)
    }
  }

  private func lost(_ error: any Error) {
    log.error("the database failed; trying again", metadata: FailureDetails.of(error).mapValues { "\($0)" })
    database.failed(error)
    isOffUntil = loop.clock.now + WebhookDeliveryLimits.databasePause
  }

  /// Returns the target of a webhook; creates a new one if the webhook's address was changed.
  private func target(_ listener: EventDeliveries.Listener) -> Target {
    if let known = targets[listener.webhook], known.url == listener.url {
      if known.sealed != listener.sealed { known.take(listener.sealed, secrets: secrets(of: listener)) }
      return known
    }
    // The old target's requests finish and their results are stored, but nothing more is sent through it.
    if let former = targets[listener.webhook], former.underWay > 0 { replaced.append(former) }
    let made = Target(listener, secrets: secrets(of: listener), timeout: configuration.timeout)
    targets[listener.webhook] = made
    return made
  }

  /// Decrypts the webhook's signing secrets; nil if one of them cannot be decrypted.
  private func secrets(of listener: EventDeliveries.Listener) -> [[UInt8]]? {
    let secrets = listener.sealed.compactMap { configuration.secret($0, listener.webhook) }
    return secrets.count == listener.sealed.count ? secrets : nil
  }

  /// Returns the TLS context, which all targets share, because loading the machine's certificate authorities is slow.
  private func sharedContext() throws(TLSError) -> TLSContext {
    if let context { return context }
    let made = try TLSContext.client(trust: configuration.trust, protocols: ["http/1.1"])
    context = made
    return made
  }

  // MARK: Serving one webhook

  /// Returns the number of events that may be sent to the target now, limited by its own state and the proxy's.
  private func room(for target: Target, at now: Instant) -> Int {
    min(target.room(at: now), target.isTunnelled ? proxyState.room(at: now) : .max)
  }

  private func serve(_ target: Target) throws(PostgresError) {
    let now = loop.clock.now
    target.servedAt = now
    guard room(for: target, at: now) > 0, shares.room(for: target.app) > 0 else { return }
    if target.place == nil { target.fail(WebhookRoute.Refusal(reason: "\(target.url) is no URL")) }
    if target.secrets == nil {
      target.fail(WebhookRoute.Refusal(reason: "its secret does not open with this master key"))
    }
    if case .none(let refusal) = target.state {
      // Report the reason on one event; the others wait until the name is resolved again.
      for attempt in try take(1, for: target) {
        began(target)
        end(attempt, target, .failure(refusal.error), since: now)
      }
      return ask(target)
    }
    // Resolve again in the background: a known address stays in use meanwhile.
    if target.needsAddress(at: now) { ask(target) }
    guard case .ready = target.state, let secrets = target.secrets, let place = target.place else { return }
    let isTunnelled = target.isTunnelled
    for attempt in try take(min(room(for: target, at: now), shares.room(for: target.app)), for: target) {
      let seconds = loop.clock.wallTime.seconds
      // The phone number that the device reported is not verified, so it is omitted for a confidential text, which must
      // go to the number known to the customer's own server.
      let phone = attempt.sealed != nil ? nil : attempt.phone.flatMap { configuration.phone($0.sealed, $0.user) }
      let span = configuration.spans?.begin(attempt.trace, at: loop.clock.wallTime)
      let request = Notice.request(
        attempt, configuration.contents, phone: phone, to: place.target, secrets: secrets, seconds: seconds,
        trace: span?.context ?? attempt.trace)
      began(target)
      if isTunnelled { proxyState.began() }
      let begun = loop.clock.now
      target.send(request) { [unowned self] result in
        if isTunnelled { proxyState.ended(result, at: loop.clock.now) }
        if let span { record(span, attempt, place, result) }
        end(attempt, target, result, since: begun)
      }
    }
  }

  private func record(
    _ span: OpenSpan, _ attempt: EventDeliveries.Attempt, _ place: HTTPURL,
    _ result: Result<HTTPResponse, HTTPClientError>
  ) {
    let (attributes, fault) = WebhookSpan.of(attempt, place, result)
    configuration.spans?.offer(
      span.ended("POST", .client, at: loop.clock.wallTime, attributes, fault: fault))
  }

  private func began(_ target: Target) {
    target.began()
    shares.began(target.app)
  }

  private func take(
    _ count: Int, for target: Target
  ) throws(PostgresError) -> [EventDeliveries.Attempt] {
    try EventClaims.take(
      count, for: target.webhook, leaseSeconds: configuration.leaseSeconds, on: database.present())
  }

  // MARK: Names

  private func ask(_ target: Target) {
    guard let place = target.place, target.secrets != nil else { return }
    let (webhook, found) = (target.webhook, found)
    target.asks()
    let question = WebhookRoute.question(place, configuration.proxy, asker: String(target.app)) { result in
      // Even into a full inbox: a webhook whose answer is lost would never ask again. The resolver limits their number.
      _ = found.add(Found(webhook: webhook, result: result))
    }
    if !resolver.ask(question) {
      target.stays(WebhookRoute.Refusal(reason: "too many names are being looked up"), at: loop.clock.now)
    }
  }

  private func resolved(_ answer: Found) {
    guard let target = targets[answer.webhook], target.isAsking else { return }
    switch answer.result {
    case .success(let names): target.resolved(names, rule, configuration.proxy, loop, sharedContext)
    case .failure(let refusal): target.stays(refusal, at: loop.clock.now)
    }
  }

  // MARK: Answers

  private func end(
    _ attempt: EventDeliveries.Attempt, _ target: Target, _ outcome: Result<HTTPResponse, HTTPClientError>,
    since begun: Instant
  ) {
    // The node is stopping: the lease expires, and the event is sent again.
    if case .failure(.closed) = outcome { return }
    let verdict = WebhookDecision.of(outcome, attempts: attempt.attempts, pauses: configuration.retrySeconds)
    // It was left out of the last look, because it had no room; more of its events may be due.
    if room(for: target, at: loop.clock.now) == 0 { looksAgainAt = loop.clock.now }
    shares.ended(target.app)
    target.ended(well: verdict.state == .delivered, wasMissed: Self.isMissed(outcome), at: loop.clock.now)
    var result = EventDeliveries.Result(attempt, verdict.state, afterSeconds: verdict.afterSeconds)
    result.status = verdict.status
    result.reason = verdict.reason
    result.milliseconds = Int32(clamping: (loop.clock.now - begun).nanoseconds / 1_000_000)
    results.append(result)
    var words = verdict.reason ?? ""
    if case .failure(let error) = outcome { words = error.description }
    if case .failure(.noTunnel(let fault)) = outcome, proxyState.speaks(at: loop.clock.now) {
      log.warning(
        "the proxy does not connect",
        metadata: ["webhook": .stringConvertible(attempt.webhook), "reason": "\(fault.reason)"])
    }
    guard verdict.state == .dead else { return }
    log.error(
      "an event was given up; replay it when the webhook works again",
      metadata: [
        "webhook": .stringConvertible(attempt.webhook), "event": .stringConvertible(attempt.id),
        "kind": "\(attempt.kind)",
        "reason": "\(words)",
      ])
  }

  private static func isMissed(_ outcome: Result<HTTPResponse, HTTPClientError>) -> Bool {
    switch outcome {
    case .failure(.unreachable), .failure(.noTunnel), .failure(.timedOut): true
    default: false
    }
  }

  private func write() {
    guard !results.isEmpty, loop.clock.now >= isOffUntil else { return }
    let all = results
    results = []
    do throws(PostgresError) {
      try write(all)
    } catch {
      results = all + results
      lost(error)
    }
  }

  /// Stores the results of attempts. Bisects a batch that fails; a result that cannot be stored is dropped, and its
  /// event is sent again after its lease expires.
  private func write(_ part: [EventDeliveries.Result]) throws(PostgresError) {
    do throws(PostgresError) {
      try database.present().run(EventDeliveries.end(part))
    } catch {
      guard error.isOwnFault else { throw error }
      guard part.count > 1 else {
        return log.error(
          "what came of an attempt cannot be written",
          metadata: ["event": .stringConvertible(part[0].event), "error": "\(error)"])
      }
      try write(Array(part[..<(part.count / 2)]))
      try write(Array(part[(part.count / 2)...]))
    }
  }
}
