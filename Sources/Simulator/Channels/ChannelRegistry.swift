/// The broadcast channels of the simulated service and their followers. A follower is stored as a 4-byte number, that
/// of the update it shows, so a million followers take 4 MB.
package struct ChannelRegistry {
  /// State of a channel, as reported by the control API.
  package struct Report: Codable, Equatable, Sendable {
    package let channel: String
    package let bundle: String
    package let environment: String
    package let storagePolicy: Int
    package let followers: Int
    /// Number of followers that show the latest update.
    package let upToDate: Int
    /// Number of accepted updates.
    package let updates: Int
    /// Number of updates refused with TooManyRequests because they came too soon.
    package let throttled: Int
    /// Number of deliveries: each update counts once per follower.
    package let deliveries: Int
    /// The most recent payload as text; nil if there is none.
    package let latest: String?
  }

  private struct Place: Hashable {
    let environment: Environment
    let bundle: String
  }

  private struct Channel {
    let policy: Int
    /// For each follower, the number of the update it shows; 0 if none.
    var shown: [Int32] = []
    var updates: Int32 = 0
    var throttled = 0
    var deliveries = 0
    var latest: [UInt8]?
    var takenMilliseconds = Int64.min / 2
  }

  private var channels: [Place: [String: Channel]] = [:]
  /// Bundle identifiers of apps without the broadcast capability.
  package var withoutCapability: Set<String> = []

  package init() {}

  // MARK: Management

  /// Creates a channel.
  /// - Returns: false if the app has the maximum number of channels already.
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

  /// Returns whether an update comes too soon after the previous one (`Limits.broadcastMilliseconds`), and if so counts
  /// it as throttled.
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

  /// Delivers an update to all followers of a channel.
  mutating func publish(
    _ payload: [UInt8], on name: String, _ environment: Environment, _ bundle: String, nowMilliseconds: Int64
  ) {
    let place = Place(environment: environment, bundle: bundle)
    guard var channel = channels[place]?[name] else { return }
    // Remove the channel from the dictionary while it is changed, to avoid a copy of its followers.
    channels[place]?[name] = nil
    channel.updates += 1
    channel.latest = payload
    channel.takenMilliseconds = nowMilliseconds
    channel.deliveries += channel.shown.count
    for follower in channel.shown.indices { channel.shown[follower] = channel.updates }
    channels[place]?[name] = channel
  }

  /// Adds `count` followers to a channel. They show the latest update if the channel stores it (policy 1), otherwise
  /// none.
  /// - Returns: false if the environment has no channel of this name.
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
