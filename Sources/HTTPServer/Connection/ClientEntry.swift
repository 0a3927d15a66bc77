internal import Reactor

/// A connection's client among all others: whether it may come in, and whether it may ask.
///
/// Invariant: a client that `arrive` has let in is counted by `Visitors` until `leave`, once.
final class ClientEntry {
  /// There were too many connections when it came: it is only told so.
  private let isSurplus: Bool
  /// Nil when it is not counted.
  private var visitor: Visitors.Visitor?

  init(isSurplus: Bool) {
    self.isSurplus = isSurplus
  }

  /// It is known who the client is. Returns why it may not come in; nil when it may.
  /// - Parameters:
  ///   - address: nil when nobody needs to know.
  ///   - visitors: nil when nothing is limited by address.
  ///   - isTrusted: whether an address is that of one of our own proxies: each request says for whom it is.
  func arrive(
    _ address: IPAddress?, for request: Request, _ visitors: Visitors?, isTrusted: (IPAddress) -> Bool
  ) -> Refusal? {
    guard !isSurplus else { return .tooManyConnections }
    guard let address else { return nil }
    request.isBehindProxy = isTrusted(address)
    guard let visitors, !request.isExempt(address) else { return nil }
    visitor = visitors.enter(address)
    return visitor == nil ? .tooManyOfAddress : nil
  }

  func leave(_ visitors: Visitors?) {
    if let visitor { visitors?.leave(visitor) }
    visitor = nil
  }

  /// Counts a request; false when the one who asks has asked too often.
  func mayAsk(_ request: Request, among visitors: Visitors?, now: Instant) -> Bool {
    guard let visitors else { return true }
    if let visitor { return visitors.mayAsk(visitor, now: now) }
    guard request.isBehindProxy, let client = request.clientAddress, !request.isExempt(client) else { return true }
    return visitors.mayAsk(client, now: now)
  }
}
