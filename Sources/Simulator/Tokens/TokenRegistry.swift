/// The device tokens known to the simulated service.
///
/// Compact, for millions of tokens: each has a number (its index), its data is in arrays, and a hash table with four
/// bytes per slot finds the number. Tokens are never removed, so an index stays valid.
package struct TokenRegistry {
  /// Number of a token, in the order of arrival.
  package typealias Index = Int

  package enum State: Equatable, Sendable {
    case active
    /// The app was removed, at this time in milliseconds since 1970.
    case unregistered(since: Int64)
    /// The token was replaced, at this time in milliseconds since 1970.
    case expired(since: Int64)
  }

  /// The handling of well-formed tokens that were never registered.
  package enum UnregisteredPolicy: String, Codable, Sendable {
    /// Accepted, as a token of the environment and topic it is used with.
    case accepted
    /// Refused with BadDeviceToken: only tokens registered by virtual devices, tests or the control API are accepted.
    case refused
  }

  private struct Entry {
    var words: (UInt64, UInt64, UInt64, UInt64)
    var byteCount: UInt16
    var kind: Kind
    /// Environment of the token; nil until it is registered.
    var environment: Environment?
    /// Index into `topics`; negative if the token may be used with any topic.
    var topic: Int32
    var sinceMilliseconds: Int64
  }

  private enum Kind: UInt8 { case active, unregistered, expired }

  package var unregisteredTokens: UnregisteredPolicy
  private var entries: [Entry] = []
  /// The bytes after the 32nd of long tokens, by index.
  private var tails: [Index: [UInt8]] = [:]
  /// Hash table with open addressing and linear probing: 0 for an empty slot, otherwise index + 1. Its size is a power
  /// of two, and it is at most half full.
  private var slots: [UInt32] = Array(repeating: 0, count: 1024)
  private var topics: [[UInt8]] = []

  package init(unregisteredTokens: UnregisteredPolicy = .accepted) {
    self.unregisteredTokens = unregisteredTokens
  }

  package var count: Int { entries.count }

  // MARK: Looking up

  /// Returns the index of a token used in `environment`; nil for BadDeviceToken. An unregistered token that is accepted
  /// is added.
  mutating func find(_ token: DeviceToken, in environment: Environment) -> Index? {
    if let index = index(of: token) {
      if let own = entries[index].environment { return own == environment ? index : nil }
      return unregisteredTokens == .accepted ? index : nil
    }
    return unregisteredTokens == .accepted ? insert(token) : nil
  }

  package func index(of token: DeviceToken) -> Index? {
    var slot = home(of: token)
    while slots[slot] != 0 {
      let index = Index(slots[slot] - 1)
      if matches(index, token) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  package func token(at index: Index) -> DeviceToken {
    let entry = entries[index]
    return DeviceToken(words: entry.words, byteCount: Int(entry.byteCount), tail: tails[index] ?? [])
  }

  package func state(of index: Index) -> State {
    switch entries[index].kind {
    case .active: .active
    case .unregistered: .unregistered(since: entries[index].sinceMilliseconds)
    case .expired: .expired(since: entries[index].sinceMilliseconds)
    }
  }

  /// Returns the topic that the token was registered for; nil for any.
  func topic(of index: Index) -> [UInt8]? {
    let number = entries[index].topic
    return number < 0 ? nil : topics[Int(number)]
  }

  package func isRegistered(_ index: Index) -> Bool { entries[index].environment != nil }

  // MARK: Changing

  /// Adds a token or changes its data.
  /// - Parameter topic: the complete `apns-topic` with suffix; nil for any.
  @discardableResult
  package mutating func register(
    _ token: DeviceToken, environment: Environment, topic: String? = nil, state: State = .active
  ) -> Index {
    let index = index(of: token) ?? insert(token)
    entries[index].environment = environment
    entries[index].topic = topic.map { number(ofTopic: Array($0.utf8)) } ?? -1
    switch state {
    case .active: entries[index].kind = .active
    case .unregistered(let since): (entries[index].kind, entries[index].sinceMilliseconds) = (.unregistered, since)
    case .expired(let since): (entries[index].kind, entries[index].sinceMilliseconds) = (.expired, since)
    }
    return index
  }

  private mutating func insert(_ token: DeviceToken) -> Index {
    if (entries.count + 1) * 2 > slots.count { grow() }
    let index = entries.count
    entries.append(
      Entry(
        words: token.words, byteCount: UInt16(token.byteCount), kind: .active, environment: nil, topic: -1,
        sinceMilliseconds: 0))
    if !token.tail.isEmpty { tails[index] = token.tail }
    place(index, home: home(of: token))
    return index
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    for index in entries.indices { place(index, home: home(of: entries[index].words)) }
  }

  private mutating func place(_ index: Index, home: Int) {
    var slot = home
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(index + 1)
  }

  private mutating func number(ofTopic topic: [UInt8]) -> Int32 {
    if let known = topics.firstIndex(of: topic) { return Int32(known) }
    topics.append(topic)
    return Int32(topics.count - 1)
  }

  private func matches(_ index: Index, _ token: DeviceToken) -> Bool {
    entries[index].words == token.words && Int(entries[index].byteCount) == token.byteCount
      && (token.byteCount <= 32 || tails[index] == token.tail)
  }

  private func home(of token: DeviceToken) -> Int { home(of: token.words) }

  private func home(of words: (UInt64, UInt64, UInt64, UInt64)) -> Int {
    // Tokens are usually random; the multiplication spreads those of tests, which count upwards.
    var mixed = words.0 ^ words.1 &* 0x9E37_79B9_7F4A_7C15 ^ words.2 &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ words.3) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (mixed ^ mixed >> 32)) & (slots.count - 1)
  }
}
