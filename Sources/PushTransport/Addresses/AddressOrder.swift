internal import Reactor

/// Orders the addresses of a host for connection attempts: recently failed ones last, then by the number of our
/// existing connections to each, fewest first; ties are broken at random, so that connections and nodes spread over all
/// addresses in DNS.
struct AddressOrder {
  private var failedAt: [SocketAddress: Instant] = [:]

  mutating func failed(_ address: SocketAddress, at now: Instant) {
    failedAt[address] = now
  }

  /// Returns `addresses` sorted by the rules above.
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
