internal import Reactor

/// Applies the limits per client address to one connection: whether the client may connect, and whether it may send a
/// request.
///
/// Invariant: a client admitted by `arrive` is counted once by `Visitors`, until `leave`.
final class ClientEntry {
  /// True if the server's connection limit was reached when the client connected, so that it only gets a 503.
  private let isSurplus: Bool
  /// The client's entry in `Visitors`; nil if it is not counted.
  private var visitor: Visitors.Visitor?

  init(isSurplus: Bool) {
    self.isSurplus = isSurplus
  }

  /// Admits the client once its address is known. Returns the refusal; nil if the client is admitted.
  /// - Parameters:
  ///   - address: address of the peer; nil if no limit depends on it.
  ///   - visitors: the counts per address; nil if there are no limits per address.
  ///   - isTrusted: returns whether an address belongs to a trusted proxy, whose requests name their clients.
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

  /// Counts a request. Returns whether the client is within its rate limit.
  func mayAsk(_ request: Request, among visitors: Visitors?, now: Instant) -> Bool {
    guard let visitors else { return true }
    if let visitor { return visitors.mayAsk(visitor, now: now) }
    guard request.isBehindProxy, let client = request.clientAddress, !request.isExempt(client) else { return true }
    return visitors.mayAsk(client, now: now)
  }
}
