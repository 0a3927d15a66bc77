/// The broadcast channels that the simulated service has, and who follows them. A follower is a number: what it shows, by
/// the update's count. So a million of them cost four megabytes.
package struct ChannelRegistry {
  /// How a channel stands, for whoever asks from outside.
  package struct Report: Codable, Equatable, Sendable {
    package let channel: String
    package let bundle: String
    package let environment: String
    package let storagePolicy: Int
    package let followers: Int
    /// Followers that show the latest update.
    package let upToDate: Int
    /// Updates that were taken.
    package let updates: Int
    /// Updates that came too soon: TooManyRequests.
    package let throttled: Int
    /// What all the updates brought to all followers.
    package let deliveries: Int
    /// The payload taken last, as text.
    package let latest: String?
  }

  private struct Place: Hashable {
    let environment: Environment
    let bundle: String
  }

  private struct Channel {
    let policy: Int
    /// By follower: the update that it shows; 0 while it shows none of this channel's.
    var shown: [Int32] = []
    var updates: Int32 = 0
    var throttled = 0
    var deliveries = 0
    var latest: [UInt8]?
    var takenMilliseconds = Int64.min / 2
  }

  private var channels: [Place: [String: Channel]] = [:]
  /// Bundle identifiers without the broadcast capability.
  package var withoutCapability: Set<String> = []

  package init() {}

  // MARK: Management

  /// - Returns: false when the app has as many as it may.
  package mutating func create(_ name: String, _ environment: Environment, _ bundle: String, policy: Int) -> Bool {
    let place = Place(environment: environment, bundle: bundle)
    guard channels[place, default: [:]].count < Limits.channels else { return false }
    channels[place, default: [:]][name] = Channel(policy: policy)
    return true
  }

  func policy(of name: String, _ environment: Environment, _ bundle: String) -> Int? {
    channels[Place(environment: environment, bundle: bundle)]?[name]?.policy
  }

  package mutating func delete(_ name: String, _ environment: Environment, _ bundle: String) -> Bool {
    channels[Place(environment: environment, bundle: bundle)]?.removeValue(forKey: name) != nil
  }

  func names(_ environment: Environment, _ bundle: String) -> [String] {
    (channels[Place(environment: environment, bundle: bundle)] ?? [:]).keys.sorted()
  }

  // MARK: Updates

  /// Whether one more update is one too many. Counts it then.
  mutating func isTooSoon(
    _ name: String, _ environment: Environment, _ bundle: String, nowMilliseconds: Int64
  ) -> Bool {
    let place = Place(environment: environment, bundle: bundle)
    guard let channel = channels[place]?[name],
      nowMilliseconds - channel.takenMilliseconds < Limits.broadcastMilliseconds
    else { return false }
    channels[place]?[name]?.throttled += 1
    return true
  }

  /// Brings an update to all that follow.
  mutating func publish(
    _ payload: [UInt8], on name: String, _ environment: Environment, _ bundle: String, nowMilliseconds: Int64
  ) {
    let place = Place(environment: environment, bundle: bundle)
    guard var channel = channels[place]?[name] else { return }
    // Out of the books while it changes, so that its followers are not copied.
    channels[place]?[name] = nil
    channel.updates += 1
    channel.latest = payload
    channel.takenMilliseconds = nowMilliseconds
    channel.deliveries += channel.shown.count
    for follower in channel.shown.indices { channel.shown[follower] = channel.updates }
    channels[place]?[name] = channel
  }

  /// So many more activities follow a channel. They are shown what it keeps.
  /// - Returns: false when there is none of this name.
  package mutating func follow(_ name: String, _ environment: Environment, count: Int = 1) -> Bool {
    for place in channels.keys where place.environment == environment {
      guard let channel = channels[place]?[name] else { continue }
      let shows = channel.policy == 1 ? channel.updates : 0
      channels[place]?[name]?.shown.append(contentsOf: repeatElement(shows, count: count))
      return true
    }
    return false
  }

  // MARK: Looking

  package func report(_ name: String) -> Report? { reports.first { $0.channel == name } }

  package var reports: [Report] {
    channels.flatMap { place, channels in
      channels.map { name, channel in
        Report(
          channel: name, bundle: place.bundle, environment: place.environment.rawValue, storagePolicy: channel.policy,
          followers: channel.shown.count, upToDate: channel.shown.count { $0 == channel.updates },
          updates: Int(channel.updates), throttled: channel.throttled, deliveries: channel.deliveries,
          latest: channel.latest.map { String(decoding: $0, as: UTF8.self) })
      }
    }.sorted { $0.channel < $1.channel }
  }
}
