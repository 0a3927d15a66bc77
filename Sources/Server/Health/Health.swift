internal import Domain
internal import Operations
internal import Reactor
internal import Store
internal import Synchronization
internal import Time

/// The facts that decide whether this node can deliver. Written by the threads `vitals` and `catalog`, read by any.
final class Health: Sendable {
  /// The result of the last sampling of the database.
  struct Sample: Sendable {
    var at: Instant
    var roundTrip: Duration
    var snapshot: Vitals.Snapshot
    var waiting: [Vitals.Waiting]
    var databaseBytes: Int64
    var webhooks: Vitals.Webhooks
    var history: Vitals.History
    /// The time at which the next API key in use expires; nil if none does.
    var nextKeyEnd: Timestamp?
    /// The settings that affect all nodes and differ between the live ones.
    var differences: [NodeSettings.Difference]
  }

  /// The result of opening a credential on this node.
  struct Credential: Sendable {
    var isUsable: Bool
    /// The time at which the credential expires; nil for keys, which do not expire.
    var endsAt: Timestamp?
  }

  struct CredentialKey: Hashable, Sendable {
    let app: App.Number
    let network: PushNetwork
  }

  private struct State {
    var sample: Sample?
    var error: String?
    var credentials: [CredentialKey: Credential] = [:]
    var lacksConnections = false
  }

  private let state = Mutex(State())

  /// The last sample; nil when it is older than half a minute.
  var sample: Sample? {
    let sample = state.withLock(\.sample)
    guard let sample, SystemClock().now - sample.at < Self.freshness else { return nil }
    return sample
  }

  private static let freshness: Duration = .seconds(30)

  var credentials: [CredentialKey: Credential] { state.withLock(\.credentials) }

  /// True if the database refused the last connection that an admin request needed, and no connection has succeeded
  /// since.
  var lacksConnections: Bool {
    get { state.withLock(\.lacksConnections) }
    set { state.withLock { $0.lacksConnections = newValue } }
  }

  func record(_ sample: Sample) {
    state.withLock { $0.sample = sample }
  }

  /// Records the state of an app's credential.
  /// - Parameter credential: the state of the credential; nil when it was removed.
  func note(_ credential: Credential?, of app: App.Number, _ network: PushNetwork) {
    state.withLock { $0.credentials[CredentialKey(app: app, network: network)] = credential }
  }
}
