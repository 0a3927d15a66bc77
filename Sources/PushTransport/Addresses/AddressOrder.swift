internal import Reactor

/// The order in which the addresses of a host are tried: recently failed ones last, then by the number of our existing
/// connections to each, fewest first. Ties are broken at random, so that connections and nodes spread over all
/// addresses in DNS.
struct AddressOrder {
  private var failedAt: [SocketAddress: Instant] = [:]

  mutating func failed(_ address: SocketAddress, at now: Instant) {
    failedAt[address] = now
  }

  /// Returns all of `addresses`, sorted by the rules above. Forgets failures older than
  /// `PushTransport.Limits.addressFailureSeconds`.
  /// - Parameter inUse: addresses of existing connections, one entry per connection.
  mutating func order(_ addresses: [SocketAddress], inUse: [SocketAddress], at now: Instant) -> [SocketAddress] {
    failedAt = failedAt.filter { now - $0.value < .seconds(PushTransport.Limits.addressFailureSeconds) }
    let connections = inUse.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let failed = failedAt
    // `sorted` is not guaranteed to be stable, so the random order is fixed first and used as the last sort key.
    return addresses.shuffled().enumerated().sorted { left, right in
      let leftRank = (failed[left.element] == nil ? 0 : 1, connections[left.element, default: 0], left.offset)
      let rightRank = (failed[right.element] == nil ? 0 : 1, connections[right.element, default: 0], right.offset)
      return leftRank < rightRank
    }.map(\.element)
  }
}
