internal import Reactor

/// The order in which a name's addresses are tried: recently failed ones last, those with the fewest of our connections
/// first, and ties at random, so that connections and nodes spread over all that DNS offers.
struct AddressOrder {
  private var failedAt: [SocketAddress: Instant] = [:]

  mutating func failed(_ address: SocketAddress, at now: Instant) {
    failedAt[address] = now
  }

  /// - Parameter inUse: addresses of existing connections, one entry per connection.
  mutating func order(_ addresses: [SocketAddress], inUse: [SocketAddress], at now: Instant) -> [SocketAddress] {
    failedAt = failedAt.filter { now - $0.value < .seconds(PushTransport.Limits.addressFailureSeconds) }
    let connections = inUse.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let failed = failedAt
    // `sorted` does not promise to be stable: draw the random order first, as a rank of its own.
    return addresses.shuffled().enumerated().sorted { left, right in
      let leftRank = (failed[left.element] == nil ? 0 : 1, connections[left.element, default: 0], left.offset)
      let rightRank = (failed[right.element] == nil ? 0 : 1, connections[right.element, default: 0], right.offset)
      return leftRank < rightRank
    }.map(\.element)
  }
}
