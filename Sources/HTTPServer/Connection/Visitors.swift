internal import Reactor

/// Counts connections and requests per client address, and limits them, so that one address cannot use up the server.
///
/// Requests are limited by a `RateAllowance`. An address is forgotten once it has no connections and its allowance is
/// full again.
final class Visitors {
  final class Visitor {
    let address: IPAddress
    fileprivate(set) var connections = 0
    /// The address's state in the rate limiter (see `RateAllowance.take`), in nanoseconds.
    fileprivate var theoreticalArrival: Int64 = 0

    init(_ address: IPAddress) {
      self.address = address
    }
  }

  private let connectionLimit: Int
  /// Rate limiter for requests; nil for no limit.
  private let requests: RateAllowance?
  private var visitors: [IPAddress: Visitor] = [:]

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
  var count: Int { visitors.count }

  /// Counts a connection of this address. Returns nil if the address has reached the limit.
  func enter(_ address: IPAddress) -> Visitor? {
    let visitor = visitor(address)
    guard visitor.connections < connectionLimit else { return nil }
    visitor.connections += 1
    return visitor
  }

  func leave(_ visitor: Visitor) {
    visitor.connections -= 1
  }

  /// Counts a request whose client a proxy has named. Returns whether the client is within its rate limit.
  func mayAsk(_ address: IPAddress, now: Instant) -> Bool {
    requests == nil || mayAsk(visitor(address), now: now)
  }

  /// Counts a request. Returns whether the client is within its rate limit.
  func mayAsk(_ visitor: Visitor, now: Instant) -> Bool {
    requests?.take(&visitor.theoreticalArrival, now: now) ?? true
  }

  private func visitor(_ address: IPAddress) -> Visitor {
    let key = address.network
    if let known = visitors[key] { return known }
    let visitor = Visitor(key)
    visitors[key] = visitor
    return visitor
  }

  /// Forgets addresses that have no connections and a full allowance. Called once a second.
  func sweep(_ now: Instant) {
    guard !visitors.isEmpty else { return }
    visitors = visitors.filter { $0.value.connections > 0 || $0.value.theoreticalArrival > now.nanoseconds }
  }
}
