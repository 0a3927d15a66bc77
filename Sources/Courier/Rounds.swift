internal import HTTPClient
internal import Logging
internal import Postgres
internal import PushWire
internal import Reactor
internal import Store

/// Thread `webhooks`: every quarter of a second, or as soon as answers have come, takes what is due and posts it.
final class Rounds {
  /// What the resolver's thread has to say.
  private struct Found: Sendable {
    let webhook: Webhooks.Number
    let result: Result<[SocketAddress], SystemError>
  }

  private let configuration: CourierConfiguration
  private let resolver: Resolver
  private let isStopping: Stopping
  private let loop: EventLoop
  private let rule: AddressRule
  private let found: Inbox<Found>
  private let log = Logger(label: "webhooks")
  private let database: Database
  private var targets: [Webhooks.Number: Target] = [:]
  /// Not written down yet.
  private var results: [EventDeliveries.Result] = []
  private var isOffUntil = Instant(nanoseconds: 0)

  init(_ configuration: CourierConfiguration, _ resolver: Resolver, _ isStopping: Stopping) throws(SystemError) {
    self.configuration = configuration
    self.resolver = resolver
    self.isStopping = isStopping
    loop = try EventLoop()
    database = Database(configuration.databaseURL, log)
    rule = AddressRule(allowing: configuration.privateNetworks)
    found = try Inbox(capacity: Courier.Limits.webhooksAtOnce * 4)
    try loop.attach(found) { [unowned self] found in
      for answer in found { resolved(answer) }
    }
  }

  func run() {
    while !isStopping.isSet {
      round()
      loop.turn(atMost: Courier.Limits.pollInterval)
    }
    let deadline = loop.clock.now + Courier.Limits.drain
    while targets.values.contains(where: { $0.underWay > 0 }), loop.clock.now < deadline {
      loop.turn(atMost: .milliseconds(100))
    }
    write()
    for target in targets.values { target.close() }
  }

  private func round() {
    write()
    guard results.isEmpty, loop.clock.now >= isOffUntil else { return }
    do {
      let due = try database.present().run(EventDeliveries.webhooks(atMost: Courier.Limits.webhooksAtOnce))
      for (webhook, url, sealed) in due { try serve(target(webhook, url: url, sealed: sealed)) }
      write()
    } catch {
      lost(error)
    }
  }

  private func lost(_ error: any Error) {
    database.failed(error)
    isOffUntil = loop.clock.now + Courier.Limits.databasePause
  }

  /// Made anew when it was changed.
  private func target(_ webhook: Webhooks.Number, url: String, sealed: [UInt8]) -> Target {
    if let known = targets[webhook], known.url == url, known.sealed == sealed { return known }
    let made = Target(webhook, url: url, sealed: sealed, secret: configuration.secret(sealed, webhook))
    targets[webhook] = made
    return made
  }

  // MARK: One webhook

  private func serve(_ target: Target) throws(PostgresError) {
    let now = loop.clock.now
    guard target.room(at: now) > 0 else { return }
    if target.place == nil { target.fail("\(target.url) is no URL") }
    if target.secret == nil { target.fail("its secret does not open with this master key") }
    if case .none(let reason) = target.way {
      // One event learns why, and the others wait: then it is looked up again.
      for attempt in try take(1, for: target) {
        target.began()
        end(attempt, target, .failure(.unreachable(reason)))
      }
      return ask(target)
    }
    // A slow answer keeps nobody waiting whose address is known.
    if target.needsAddress(at: now) { ask(target) }
    guard case .ready = target.way, let secret = target.secret, let place = target.place else { return }
    for attempt in try take(target.room(at: now), for: target) {
      let seconds = loop.clock.wallMicroseconds / 1_000_000
      let request = Notice.request(attempt, to: place.target, secret: secret, seconds: seconds)
      target.send(request) { [unowned self] result in end(attempt, target, result) }
    }
  }

  private func take(
    _ count: Int, for target: Target
  ) throws(PostgresError) -> [EventDeliveries.Attempt] {
    try database.present().run(
      EventDeliveries.take(target.webhook, atMost: count, leaseSeconds: Courier.Limits.leaseSeconds))
  }

  // MARK: Names

  private func ask(_ target: Target) {
    guard let place = target.place, target.secret != nil else { return }
    let (webhook, found) = (target.webhook, found)
    target.asks()
    let question = Resolver.Question(endpoint: Endpoint(host: place.host, port: place.port)) { result in
      _ = found.offer(Found(webhook: webhook, result: result))
    }
    if !resolver.ask(question) { target.stays("too many names are being looked up", at: loop.clock.now) }
  }

  private func resolved(_ answer: Found) {
    guard let target = targets[answer.webhook], target.isAsking else { return }
    switch answer.result {
    case .success(let addresses): target.resolved(addresses, rule, configuration.trust, loop)
    case .failure(let error): target.stays(error.description, at: loop.clock.now)
    }
  }

  // MARK: Answers

  private func end(
    _ attempt: EventDeliveries.Attempt, _ target: Target, _ outcome: Result<HTTPResponse, HTTPClientError>
  ) {
    // The node ends: the lease runs out, and it is told again.
    if case .failure(.closed) = outcome { return }
    let verdict = Verdict.of(outcome, attempts: attempt.attempts, pauses: configuration.retrySeconds)
    target.ended(well: verdict.state == .delivered, at: loop.clock.now)
    var result = EventDeliveries.Result(attempt, verdict.state, afterSeconds: verdict.afterSeconds)
    result.status = verdict.status
    result.reason = verdict.reason
    results.append(result)
    guard verdict.state == .dead else { return }
    log.error(
      "an event was given up; replay it when the webhook is mended",
      metadata: [
        "webhook": "\(attempt.webhook)", "event": "\(attempt.id)", "kind": "\(attempt.kind)",
        "reason": "\(verdict.reason ?? "")",
      ])
  }

  private func write() {
    guard !results.isEmpty, loop.clock.now >= isOffUntil else { return }
    do throws(PostgresError) {
      try database.present().run(EventDeliveries.end(results))
      results = []
    } catch {
      lost(error)
    }
  }
}
