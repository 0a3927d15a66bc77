internal import Reactor

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
