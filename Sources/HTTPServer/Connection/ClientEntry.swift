internal import Reactor

/// Whether a connection's client may connect, and whether it may send a request, given all other clients.
///
/// Invariant: a client that `arrive` has admitted is counted once by `Visitors`, until `leave`.
final class ClientEntry {
  /// The connection limit was reached when it came: it only gets a 503.
  private let isSurplus: Bool
  /// Nil when the client is not counted.
  private var visitor: Visitors.Visitor?

  init(isSurplus: Bool) {
    self.isSurplus = isSurplus
  }

  /// The client's address is known. Returns why it is refused; nil when it is admitted.
  /// - Parameters:
  ///   - address: nil when no limit needs it.
  ///   - visitors: nil when there are no limits per address.
  ///   - isTrusted: whether an address is a trusted proxy's, whose requests name their clients.
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
