internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// What the parts of a batch share: when and for whom it runs, the rows of devices as they stand in it, the counts, and what
/// becomes of each operation. Knows no part.
final class BatchContext {
  /// In the order of the operations.
  var results: [Result<OperationAnswer, Problem>]

  /// Microseconds since 1970: the moment of the whole batch.
  let now: Int64
  /// Not later than any reading of this batch, on the monotonic clock.
  let readAt: Instant
  /// This committer's own rows in the totals.
  let writer: Int32
  /// The node that claims what is sent.
  let node: UUIDValue
  /// What apps want done differently.
  let policies: AppPolicies
  /// Counts devices that nobody knows yet; nil: as many as like may register.
  let newDevices: NewDevices?
  /// The new devices that this batch has counted.
  private(set) var admitted: [NewDevices.Source] = []
  /// Device rows as they stand in this batch: read, changed, and written once at the end.
  var devices: [DeviceID: Devices.Record] = [:]
  var changedDevices: Set<DeviceID> = []
  /// Whether those that are changed were active before.
  private var wereActive: [DeviceID: Bool] = [:]
  var counts = BadgeCounts()
  var badgeSync = BadgeSync()
  var bindings = BindingSteps()
  /// The devices that users had who may have one only.
  private var devicesOfUsers: [Users.Key: [DeviceID]] = [:]

  init(
    operations: Int, writer: Int32, node: UUIDValue, policies: AppPolicies, now: Int64, readAt: Instant,
    newDevices: NewDevices?
  ) {
    self.newDevices = newDevices
    self.writer = writer
    self.node = node
    self.readAt = readAt
    self.policies = policies
    self.now = now
    results = Array(repeating: .success(.done), count: operations)
  }

  // MARK: Devices

  /// Returns all other devices of a user to GUEST, where it may have one only.
  func releaseOthers(of user: Users.Key, for device: DeviceID) {
    guard policies.single.contains(user.app), !user.userKey.isGuest else { return }
    for other in devicesOfUsers[user] ?? [] where other != device {
      // As it stands now: an operation before this one may have moved it already.
      guard var record = devices[other], record.userKey == user.userKey else { continue }
      record.release()
      record.boundAt = now
      change(record)
    }
  }

  /// Counts a new device against the allowances.
  /// - Returns: why it may not register now; nil when it may.
  func admit(_ app: App, from origin: IPAddress?) -> Problem? {
    guard let newDevices else { return nil }
    if let problem = newDevices.refusal(of: app, from: origin, now: readAt) { return problem }
    admitted.append(NewDevices.Source(app: app.number, address: origin))
    return nil
  }

  /// What a device is told of its user's name. Where nobody vouches for it, it may be anybody's: it hears what it said
  /// itself, or it could learn the names of all customers from their numbers.
  func shownName(_ given: String, stored: String? = nil, of record: Devices.Record) -> String {
    guard record.identity > .open else { return given }
    return stored ?? counts.name(of: Users.Key(app: record.app, userKey: record.userKey))
  }

  func remember(_ records: [Devices.Record]) {
    for record in records { devices[record.device] = record }
  }

  /// The same of devices that were locked for the sake of users who may have one only.
  func rememberOwned(_ records: [Devices.Record]) {
    remember(records.filter { devices[$0.device] == nil })
    for record in records where policies.single.contains(record.app) {
      devicesOfUsers[Users.Key(app: record.app, userKey: record.userKey), default: []].append(record.device)
    }
  }

  /// Changes a device's row; it is written in round 2.
  func change(_ record: Devices.Record) {
    if changedDevices.insert(record.device).inserted {
      wereActive[record.device] = devices[record.device]?.state == .active
    }
    devices[record.device] = record
  }

  /// Counts devices that came or went, by those that were changed.
  func countJoinsAndLeaves() -> [Step] {
    var tally = Statistics.Tally()
    for (device, wasActive) in wereActive {
      guard let record = devices[device], (record.state == .active) != wasActive else { continue }
      var key = Statistics.Key(app: record.app)
      key.network = record.network
      key.appVersion = record.attributes.appVersion
      if wasActive {
        key.reason = "unregistered"
        tally.countLeft(key)
      } else {
        tally.countJoined(key)
      }
    }
    return tally.isEmpty ? [] : [Statistics.add(tally, writer: writer, at: now)]
  }

  // MARK: Results

  func fail(_ index: Int, _ problem: Problem) {
    results[index] = .failure(problem)
  }

  func hasFailed(_ index: Int) -> Bool {
    if case .failure = results[index] { true } else { false }
  }
}
