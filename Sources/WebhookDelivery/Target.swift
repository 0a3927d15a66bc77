internal import Domain
internal import HTTPClient
internal import Logging
internal import PushTransport
internal import Reactor
internal import Store
internal import TLS

/// One webhook on the delivery thread: its address, its connections, and its recent failures. Lives on that thread.
///
/// ```
///   unknown ──resolve──► an allowed address ──► ready ──60 s──► resolved again, and used until the result comes
///                   └──► none ──► no way (a reason), until the back-off ends
/// ```
final class Target {
  enum Standing {
    case unknown
    case ready(until: Instant)
    case none(Way.Refusal)
  }

  let webhook: Webhooks.Number
  let app: App.Number
  let url: String
  private(set) var sealed: [[UInt8]]
  /// What signs; nil when one does not open.
  private(set) var secrets: [[UInt8]]?
  let place: HTTPURL?
  private(set) var standing = Standing.unknown
  private(set) var isAsking = false
  private var client: HTTPClient?
  /// The way that `client` uses.
  private var way: Way?
  private(set) var underWay = 0
  /// When one of its events was last due.
  var servedAt = Instant(nanoseconds: 0)
  private var failures = 0
  /// The last attempt got no answer: the way may be at fault.
  private var wasMissed = false
  private var restsUntil = Instant(nanoseconds: 0)

  init(_ listener: EventDeliveries.Listener, secrets: [[UInt8]]?) {
    webhook = listener.webhook
    app = listener.app
    url = listener.url
    sealed = listener.sealed
    self.secrets = secrets
    place = HTTPURL(listener.url)
  }

  /// Other secrets sign from now on; connections stay.
  func take(_ sealed: [[UInt8]], secrets: [[UInt8]]?) {
    self.sealed = sealed
    self.secrets = secrets
    // It was of no use only for want of a secret that opens.
    if case .none = standing, secrets != nil { standing = .unknown }
  }

  // MARK: Address

  /// True when its name must be resolved.
  func needsAddress(at now: Instant) -> Bool {
    guard !isAsking else { return false }
    switch standing {
    case .unknown, .none: return true
    case .ready(let until): return now >= until
    }
  }

  func asks() {
    isAsking = true
    // Its reason was reported to one event.
    if case .none = standing { standing = .unknown }
  }

  /// The webhook cannot be reached, as far as is known.
  func fail(_ refusal: Way.Refusal) {
    isAsking = false
    standing = .none(refusal)
  }

  /// The name could not be resolved now: an address that has worked so far stays in use.
  func stays(_ refusal: Way.Refusal, at now: Instant) {
    isAsking = false
    if case .ready = standing {
      standing = .ready(until: now + WebhookDeliveryLimits.nameLife)
    } else {
      standing = .none(refusal)
    }
  }

  /// Takes the first allowed way; one that is in use is kept.
  func resolved(
    _ names: Way.Names, _ rule: AddressRule, _ proxy: OutboundProxy?, _ loop: EventLoop,
    _ context: () throws(TLSError) -> TLSContext
  ) {
    isAsking = false
    guard let place else { return fail(Way.Refusal(reason: "it is no URL")) }
    let found: Way
    do throws(Way.Refusal) {
      found = try Way(to: place, names, rule, proxy, present: way, isFailing: wasMissed)
    } catch {
      return fail(error)
    }
    standing = .ready(until: loop.clock.now + WebhookDeliveryLimits.nameLife)
    if found == way, client != nil { return }
    do throws(TLSError) {
      try connect(by: found, place, loop, context)
    } catch {
      fail(Way.Refusal(reason: "\(error)"))
    }
  }

  private func connect(
    by way: Way, _ place: HTTPURL, _ loop: EventLoop, _ context: () throws(TLSError) -> TLSContext
  ) throws(TLSError) {
    var configuration = HTTPClient.Configuration()
    configuration.connections = WebhookDeliveryLimits.connections
    configuration.timeout = WebhookDeliveryLimits.timeout
    configuration.bodyBytes = WebhookDeliveryLimits.answerBytes
    configuration.tunnel = way.tunnel
    if place.isSecure {
      configuration.security = HTTPClientSecurity(context: try context(), serverName: place.host)
    }
    let name = place.host.contains(":") ? "[\(place.host)]" : place.host
    let host = place.port == (place.isSecure ? 443 : 80) ? name : "\(name):\(place.port)"
    // Requests in flight on the old client are answered there.
    client = HTTPClient(HTTPOrigin(host: host, address: way.hop), loop: loop, configuration: configuration)
    self.way = way
  }

  var isTunnelled: Bool { way?.tunnel != nil }

  // MARK: Events

  /// How many more events may be sent to it now.
  func room(at now: Instant) -> Int {
    guard now >= restsUntil else { return 0 }
    // After failures a single event probes whether it works again.
    return max(
      0, (failures >= WebhookDeliveryLimits.failuresBeforeRest ? 1 : WebhookDeliveryLimits.connections) - underWay)
  }

  /// Call after `began`.
  func send(_ request: HTTPRequest, _ completion: @escaping (Result<HTTPResponse, HTTPClientError>) -> Void) {
    guard let client else { return completion(.failure(.refused("there is no connection"))) }
    client.send(request, completion: completion)
  }

  /// Records the result of an attempt.
  /// - Parameter wasMissed: no answer came, which may be the way's fault; any answer proves the way good.
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
    // Its address may have changed.
    if case .ready = standing { standing = .unknown }
  }

  /// Records an attempt, even one that cannot be made; `ended` must follow.
  func began() {
    underWay += 1
  }

  func close() {
    client?.close()
  }
}
