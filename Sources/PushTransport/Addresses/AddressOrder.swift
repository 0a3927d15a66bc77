internal import Reactor

/// In which order the addresses of a name are tried: those that failed lately last, those that carry fewest of our
/// connections first, else by chance, so that connections and nodes spread over all that DNS offers.
struct AddressOrder {
  private var failedAt: [SocketAddress: Instant] = [:]

  mutating func failed(_ address: SocketAddress, at now: Instant) {
    failedAt[address] = now
  }

  /// - Parameter inUse: addresses of present connections, one entry for each.
  mutating func order(_ addresses: [SocketAddress], inUse: [SocketAddress], at now: Instant) -> [SocketAddress] {
    failedAt = failedAt.filter { now - $0.value < .seconds(PushTransport.Limits.addressFailureSeconds) }
    let connections = inUse.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let failed = failedAt
    // Sorting is stable only by accident: the chance is drawn first, as a rank of its own.
    return addresses.shuffled().enumerated().sorted { left, right in
      let leftRank = (failed[left.element] == nil ? 0 : 1, connections[left.element, default: 0], left.offset)
      let rightRank = (failed[right.element] == nil ? 0 : 1, connections[right.element, default: 0], right.offset)
      return leftRank < rightRank
    }.map(\.element)
  }
}
