internal import Reactor

/// Counts connections and requests per client address, and limits them, so that one address cannot use up the server.
///
/// Requests are limited by a `RateAllowance`. All addresses of an IPv6 /64 count as one (`IPAddress.network`). An
/// address is forgotten when it has no connections and its allowance is full again.
final class ClientCounts {
  final class ClientCount {
    let address: IPAddress
    fileprivate(set) var connections = 0
    /// The address's state in the rate limiter (see `RateAllowance.take`), in nanoseconds of the monotonic clock.
    fileprivate var theoreticalArrival: Int64 = 0

    init(_ address: IPAddress) {
      self.address = address
    }
  }

  private let connectionLimit: Int
  /// Rate limiter for requests; nil for no limit.
  private let requests: RateAllowance?
  private var counts: [IPAddress: ClientCount] = [:]

  /// Creates the counts of a server.
  /// - Parameters:
  ///   - connections: maximum open connections per address; nil for no limit.
  ///   - requestsPerSecond: maximum requests per address, on average; bursts of twice as many are allowed. Nil for no
  ///     limit.
  init(connections: Int?, requestsPerSecond: Int?) {
    connectionLimit = connections ?? .max
    requests = requestsPerSecond.map { RateAllowance($0, per: .seconds(1), credit: HTTPLimits.requestCredit) }
  }

  /// Number of addresses remembered.
  var count: Int { counts.count }

  /// Counts a connection of this address, until `leave`. Returns nil, without counting it, if the address has as many
  /// connections as it may have.
  func enter(_ address: IPAddress) -> ClientCount? {
    let client = client(address)
    guard client.connections < connectionLimit else { return nil }
    client.connections += 1
    return client
  }

  func leave(_ client: ClientCount) {
    client.connections -= 1
  }

  /// Counts a request whose client a proxy has named. Returns false, without counting it, if the client exceeds its
  /// rate limit; true also if there is no limit.
  func isWithinRateLimit(_ address: IPAddress, now: Instant) -> Bool {
    requests == nil || isWithinRateLimit(client(address), now: now)
  }

  /// Counts a request. Returns false, without counting it, if the client exceeds its rate limit; true also if there is
  /// no limit.
  func isWithinRateLimit(_ client: ClientCount, now: Instant) -> Bool {
    requests?.take(&client.theoreticalArrival, now: now) ?? true
  }

  private func client(_ address: IPAddress) -> ClientCount {
    let key = address.network
    if let known = counts[key] { return known }
    let client = ClientCount(key)
    counts[key] = client
    return client
  }

  /// Forgets addresses that have no connections and a full allowance. Called once a second.
  func sweep(_ now: Instant) {
    guard !counts.isEmpty else { return }
    counts = counts.filter { $0.value.connections > 0 || $0.value.theoreticalArrival > now.nanoseconds }
  }
}

/// Applies the limits per client address to one connection: whether the client may connect, and whether it may send a
/// request.
///
/// Invariant: a client admitted by `arrive` and not exempt is counted once by `ClientCounts`, until `leave`.
final class ClientEntry {
  /// True if the server's connection limit was reached when the client connected, so that it only gets a 503.
  private let isSurplus: Bool
  /// The client's entry in `ClientCounts`; nil if the client is not counted: before `arrive`, after `leave`, if it is
  /// exempt or refused, or without limits.
  private var client: ClientCounts.ClientCount?

  init(isSurplus: Bool) {
    self.isSurplus = isSurplus
  }

  /// Admits the client when its address is known: counts its connection, unless it is exempt, and records in `request`
  /// whether it is a trusted proxy. Returns the refusal (503 or 429); nil if the client is admitted.
  /// - Parameters:
  ///   - address: address of the peer; nil if no limit depends on it, or it has none (Unix socket).
  ///   - counts: the counts per address; nil if there are no limits per address.
  ///   - isTrusted: returns whether an address belongs to a trusted proxy, whose requests name their clients.
  func arrive(
    _ address: IPAddress?, for request: Request, _ counts: ClientCounts?, isTrusted: (IPAddress) -> Bool
  ) -> Refusal? {
    guard !isSurplus else { return .tooManyConnections }
    guard let address else { return nil }
    request.isBehindProxy = isTrusted(address)
    guard let counts, !request.isExempt(address) else { return nil }
    client = counts.enter(address)
    return client == nil ? .tooManyOfAddress : nil
  }

  func leave(_ counts: ClientCounts?) {
    if let client { counts?.leave(client) }
    client = nil
  }

  /// Counts a request of the peer or, if that is a trusted proxy, of the client that it names. Returns false, without
  /// counting, if this client exceeds its rate limit. Returns true for exempt clients, and if there are no limits.
  func isWithinRateLimit(_ request: Request, among counts: ClientCounts?, now: Instant) -> Bool {
    guard let counts else { return true }
    if let client { return counts.isWithinRateLimit(client, now: now) }
    guard request.isBehindProxy, let client = request.clientAddress, !request.isExempt(client) else { return true }
    return counts.isWithinRateLimit(client, now: now)
  }
}
