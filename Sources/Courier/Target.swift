internal import Domain
internal import HTTPClient
internal import Logging
internal import PushWire
internal import Reactor
internal import Store
internal import TLS

/// One webhook as the delivery thread knows it: its address, its connections, and how it has behaved lately. Lives on that
/// thread.
///
/// ```
///   unknown ──asked──► an address that may be ──► ready ──60 s──► asked again, and used until the answer comes
///                 └──► none ──► no way (a reason), until the rest is over
/// ```
final class Target {
  enum Way {
    case unknown
    case ready(until: Instant)
    case none(String)
  }

  let webhook: Webhooks.Number
  let app: App.Number
  let url: String
  let sealed: [UInt8]
  let secret: [UInt8]?
  let place: HTTPURL?
  private(set) var way = Way.unknown
  private(set) var isAsking = false
  private var client: HTTPClient?
  private var address: SocketAddress?
  private(set) var underWay = 0
  private var failures = 0
  private var restsUntil = Instant(nanoseconds: 0)

  init(_ listener: EventDeliveries.Listener, secret: [UInt8]?) {
    webhook = listener.webhook
    app = listener.app
    url = listener.url
    sealed = listener.sealed
    self.secret = secret
    place = HTTPURL(listener.url)
  }

  // MARK: Address

  /// True when its name has to be looked up.
  func needsAddress(at now: Instant) -> Bool {
    guard !isAsking else { return false }
    switch way {
    case .unknown, .none: return true
    case .ready(let until): return now >= until
    }
  }

  func asks() {
    isAsking = true
    // The reason has been told.
    if case .none = way { way = .unknown }
  }

  /// It cannot be reached, as far as is known.
  func fail(_ reason: String) {
    isAsking = false
    way = .none(reason)
  }

  /// Its name could not be looked up just now: an address that has served until now goes on serving.
  func stays(_ reason: String, at now: Instant) {
    isAsking = false
    if case .ready = way { way = .ready(until: now + Courier.Limits.nameLife) } else { way = .none(reason) }
  }

  /// Takes the first address that may be; one that is in use goes on being used.
  func resolved(
    _ addresses: [SocketAddress], _ rule: AddressRule, _ loop: EventLoop, _ context: () throws(TLSError) -> TLSContext
  ) {
    isAsking = false
    guard let place else { return fail("it is no URL") }
    let good = addresses.filter { $0.ip.map { rule.allows($0, isSecure: place.isSecure) } == true }
    guard let first = good.first else {
      return fail(
        addresses.isEmpty
          ? "\(place.host) has no address"
          : place.isSecure
            ? "the address of \(place.host) is not public; allow its network with UPMC_WEBHOOK_PRIVATE"
            : "plain http goes only to networks that UPMC_WEBHOOK_PRIVATE allows; use https")
    }
    way = .ready(until: loop.clock.now + Courier.Limits.nameLife)
    if let address, good.contains(address), client != nil { return }
    do throws(TLSError) {
      try connect(to: first, place, loop, context)
    } catch {
      fail("\(error)")
    }
  }

  private func connect(
    to address: SocketAddress, _ place: HTTPURL, _ loop: EventLoop, _ context: () throws(TLSError) -> TLSContext
  ) throws(TLSError) {
    var configuration = HTTPClient.Configuration()
    configuration.connections = Courier.Limits.connections
    configuration.timeout = Courier.Limits.patience
    configuration.bodyBytes = Courier.Limits.answerBytes
    if place.isSecure {
      configuration.security = HTTPClient.Security(context: try context(), serverName: place.host)
    }
    let name = place.host.contains(":") ? "[\(place.host)]" : place.host
    let host = place.port == (place.isSecure ? 443 : 80) ? name : "\(name):\(place.port)"
    // What is under way on the old one is answered there.
    client = HTTPClient(HTTPOrigin(host: host, address: address), loop: loop, configuration: configuration)
    self.address = address
  }

  // MARK: Events

  /// How many more events may be taken for it now.
  func room(at now: Instant) -> Int {
    guard now >= restsUntil else { return 0 }
    // One that has failed is asked with a single event whether it is well again.
    return max(0, (failures >= Courier.Limits.failuresBeforeRest ? 1 : Courier.Limits.connections) - underWay)
  }

  /// After `began`.
  func send(_ request: HTTPRequest, _ completion: @escaping (Result<HTTPResponse, HTTPClientError>) -> Void) {
    guard let client else { return completion(.failure(.refused("there is no connection"))) }
    client.send(request, completion: completion)
  }

  /// Counts how an attempt went.
  func ended(well: Bool, at now: Instant) {
    underWay -= 1
    guard !well else {
      failures = 0
      restsUntil = now
      return
    }
    failures += 1
    let excess = failures - Courier.Limits.failuresBeforeRest
    guard excess >= 0 else { return }
    restsUntil = now + min(Courier.Limits.longestRest, .seconds(1 << min(excess, 10)))
    // It may have moved.
    if case .ready = way { way = .unknown }
  }

  /// An attempt is made, or could not even be made; `ended` must follow.
  func began() {
    underWay += 1
  }

  func close() {
    client?.close()
  }
}
