internal import Reactor

/// How many connections each address has, and how often it asks: one address must not take what is meant for all.
///
/// Requests are counted by a `RateAllowance`. Who has no connection and its whole allowance is forgotten.
final class Visitors {
  /// One address.
  final class Visitor {
    let address: IPAddress
    fileprivate(set) var connections = 0
    /// When all that was asked so far is paid for, at one request an interval.
    fileprivate var paidAt: Int64 = 0

    init(_ address: IPAddress) {
      self.address = address
    }
  }

  private let connectionLimit: Int
  /// Nil when requests are not counted.
  private let requests: RateAllowance?
  private var visitors: [IPAddress: Visitor] = [:]

  /// - Parameters:
  ///   - connections: of one address; nil for no limit.
  ///   - requestsPerSecond: of one address, on the average; twice as many may come at once. Nil for no limit.
  init(connections: Int?, requestsPerSecond: Int?) {
    connectionLimit = connections ?? .max
    requests = requestsPerSecond.map { RateAllowance($0, per: .seconds(1), credit: HTTPLimits.requestCredit) }
  }

  /// Addresses that are remembered.
  var count: Int { visitors.count }

  /// One more connection of this address; nil when it has as many as it may have.
  func enter(_ address: IPAddress) -> Visitor? {
    let visitor = visitor(address)
    guard visitor.connections < connectionLimit else { return nil }
    visitor.connections += 1
    return visitor
  }

  func leave(_ visitor: Visitor) {
    visitor.connections -= 1
  }

  /// Counts a request of somebody who came through a proxy.
  func mayAsk(_ address: IPAddress, now: Instant) -> Bool {
    requests == nil || mayAsk(visitor(address), now: now)
  }

  /// Counts a request; false when there have been too many.
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

  /// Forgets those who have gone. Called once a second.
  func sweep(_ now: Instant) {
    guard !visitors.isEmpty else { return }
    visitors = visitors.filter { $0.value.connections > 0 || $0.value.paidAt > now.nanoseconds }
  }
}
