internal import Reactor

/// Counts connections and requests per address, so that one address cannot use up what all share.
///
/// Requests are counted by a `RateAllowance`. An address without connections and with its full allowance is forgotten.
final class Visitors {
  final class Visitor {
    let address: IPAddress
    fileprivate(set) var connections = 0
    /// When its past requests are paid for, at one request per interval, in nanoseconds.
    fileprivate var paidAt: Int64 = 0

    init(_ address: IPAddress) {
      self.address = address
    }
  }

  private let connectionLimit: Int
  /// Nil when requests are not limited.
  private let requests: RateAllowance?
  private var visitors: [IPAddress: Visitor] = [:]

  /// - Parameters:
  ///   - connections: per address; nil for no limit.
  ///   - requestsPerSecond: per address, on average; bursts of twice as many are allowed. Nil for no limit.
  init(connections: Int?, requestsPerSecond: Int?) {
    connectionLimit = connections ?? .max
    requests = requestsPerSecond.map { RateAllowance($0, per: .seconds(1), credit: HTTPLimits.requestCredit) }
  }

  /// Addresses remembered.
  var count: Int { visitors.count }

  /// Counts one more connection of this address; nil when it has reached the limit.
  func enter(_ address: IPAddress) -> Visitor? {
    let visitor = visitor(address)
    guard visitor.connections < connectionLimit else { return nil }
    visitor.connections += 1
    return visitor
  }

  func leave(_ visitor: Visitor) {
    visitor.connections -= 1
  }

  /// Counts a request that came through a proxy.
  func mayAsk(_ address: IPAddress, now: Instant) -> Bool {
    requests == nil || mayAsk(visitor(address), now: now)
  }

  /// Counts a request. Returns whether the address is within its rate limit.
  func mayAsk(_ visitor: Visitor, now: Instant) -> Bool {
    requests?.take(&visitor.paidAt, now: now) ?? true
  }

  private func visitor(_ address: IPAddress) -> Visitor {
    let key = address.network
    if let known = visitors[key] { return known }
    let visitor = Visitor(key)
    visitors[key] = visitor
    return visitor
  }

  /// Forgets addresses that are gone. Called once a second.
  func sweep(_ now: Instant) {
    guard !visitors.isEmpty else { return }
    visitors = visitors.filter { $0.value.connections > 0 || $0.value.paidAt > now.nanoseconds }
  }
}
