internal import Domain
internal import HTTPClient
internal import Logging
internal import PushTransport
internal import Reactor
internal import Store
internal import TLS

/// State of one webhook: its address, connections and recent failures. Confined to the delivery thread.
///
/// ```
///   unknown ──resolve──► an allowed address ──► ready ──60 s──► resolved again, and used until the result comes
///                   └──► none ──► no route (a reason), until the back-off ends
/// ```
final class Target {
  enum State {
    case unknown
    case ready(until: Instant)
    case none(WebhookRoute.Refusal)
  }

  let webhook: Webhooks.Number
  let app: App.Number
  let url: String
  private(set) var sealed: [[UInt8]]
  /// Signing secrets; nil if one of them cannot be decrypted.
  private(set) var secrets: [[UInt8]]?
  let place: HTTPURL?
  /// Timeout of a request.
  private let timeout: Duration
  private(set) var state = State.unknown
  private(set) var isAsking = false
  private var client: HTTPClient?
  /// The route that `client` uses; nil if there is none.
  private var route: WebhookRoute?
  private(set) var underWay = 0
  /// When one of its events was last due.
  var servedAt = Instant(nanoseconds: 0)
  private var failures = 0
  /// True if the last attempt got no answer, so that the route may be at fault.
  private var wasMissed = false
  private var restsUntil = Instant(nanoseconds: 0)

  init(_ listener: EventDeliveries.Listener, secrets: [[UInt8]]?, timeout: Duration) {
    webhook = listener.webhook
    app = listener.app
    url = listener.url
    sealed = listener.sealed
    self.secrets = secrets
    self.timeout = timeout
    place = HTTPURL(listener.url)
  }

  /// Replaces the signing secrets; connections stay open.
  func take(_ sealed: [[UInt8]], secrets: [[UInt8]]?) {
    self.sealed = sealed
    self.secrets = secrets
    // The target was unusable only because a secret could not be decrypted.
    if case .none = state, secrets != nil { state = .unknown }
  }

  // MARK: Address

  /// Returns true if the host name must be resolved.
  func needsAddress(at now: Instant) -> Bool {
    guard !isAsking else { return false }
    switch state {
    case .unknown, .none: return true
    case .ready(let until): return now >= until
    }
  }

  func asks() {
    isAsking = true
    // The reason was reported on one event: resolve again before the next one.
    if case .none = state { state = .unknown }
  }

  /// Records that the webhook cannot be reached, and why.
  func fail(_ refusal: WebhookRoute.Refusal) {
    isAsking = false
    state = .none(refusal)
  }

  /// Records that the name could not be resolved now. An address that has worked so far stays in use.
  func stays(_ refusal: WebhookRoute.Refusal, at now: Instant) {
    isAsking = false
    if case .ready = state {
      state = .ready(until: now + WebhookDeliveryLimits.nameLife)
    } else {
      state = .none(refusal)
    }
  }

  /// Selects an allowed route from the resolved addresses; keeps the current one if it is still valid.
  func resolved(
    _ names: WebhookRoute.Names, _ rule: AddressRule, _ proxy: OutboundProxy?, _ loop: EventLoop,
    _ context: () throws(TLSError) -> TLSContext
  ) {
    isAsking = false
    guard let place else { return fail(WebhookRoute.Refusal(reason: "it is no URL")) }
    let found: WebhookRoute
    do throws(WebhookRoute.Refusal) {
      found = try WebhookRoute(to: place, names, rule, proxy, present: route, isFailing: wasMissed)
    } catch {
      return fail(error)
    }
    state = .ready(until: loop.clock.now + WebhookDeliveryLimits.nameLife)
    if found == route, client != nil { return }
    do throws(TLSError) {
      try connect(by: found, place, loop, context)
    } catch {
      fail(WebhookRoute.Refusal(reason: "\(error)"))
    }
  }

  private func connect(
    by route: WebhookRoute, _ place: HTTPURL, _ loop: EventLoop, _ context: () throws(TLSError) -> TLSContext
  ) throws(TLSError) {
    var configuration = HTTPClient.Configuration()
    configuration.connections = WebhookDeliveryLimits.connections
    configuration.timeout = timeout
    configuration.bodyBytes = WebhookDeliveryLimits.answerBytes
    configuration.cutsBody = true
    configuration.tunnel = route.tunnel
    if place.isSecure {
      configuration.security = HTTPClientSecurity(context: try context(), serverName: place.host)
    }
    let name = place.host.contains(":") ? "[\(place.host)]" : place.host
    let host = place.port == (place.isSecure ? 443 : 80) ? name : "\(name):\(place.port)"
    // Requests in flight on the previous client still finish.
    client = HTTPClient(HTTPOrigin(host: host, address: route.hop), loop: loop, configuration: configuration)
    self.route = route
  }

  var isTunnelled: Bool { route?.tunnel != nil }

  // MARK: Events

  /// Returns the number of further events that may be sent to it now.
  func room(at now: Instant) -> Int {
    guard now >= restsUntil else { return 0 }
    // After repeated failures, probe with a single event.
    return max(
      0, (failures >= WebhookDeliveryLimits.failuresBeforeRest ? 1 : WebhookDeliveryLimits.connections) - underWay)
  }

  /// Sends a request. To be called after `began`.
  func send(_ request: HTTPRequest, _ completion: @escaping (Result<HTTPResponse, HTTPClientError>) -> Void) {
    guard let client else { return completion(.failure(.refused("there is no connection"))) }
    client.send(request, completion: completion)
  }

  /// Records the result of an attempt.
  /// - Parameter wasMissed: true if there was no answer, so that the route may be at fault; any answer shows that it
  ///   works.
  func ended(well: Bool, wasMissed: Bool, at now: Instant) {
    underWay -= 1
    self.wasMissed = wasMissed
    guard !well else {
      failures = 0
      restsUntil = now
      return
    }
    failures += 1
    let excess = failures - WebhookDeliveryLimits.failuresBeforeRest
    guard excess >= 0 else { return }
    restsUntil = now + min(WebhookDeliveryLimits.longestRest, .seconds(1 << min(excess, 10)))
    // The address may have changed: resolve again.
    if case .ready = state { state = .unknown }
  }

  /// Records the start of an attempt, even if the request cannot be sent. `ended` must follow.
  func began() {
    underWay += 1
  }

  func close() {
    client?.close()
  }
}
