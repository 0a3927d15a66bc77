internal import Domain
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// State shared by all steps of a batch: time and writer, the current device rows, the badge counts, and the result of
/// each operation.
final class BatchContext {
  /// One result per operation, in the same order; `.done` until a step stores another.
  var results: [Result<OperationAnswer, Problem>]

  /// Time of the whole batch.
  let now: Timestamp
  /// A monotonic time that is not later than any read of this batch.
  let readAt: Instant
  /// Number under which this committer adds to totals and statistics, in rows that no other committer writes.
  let writer: Int32
  /// ID of the node that claims the accepted sends.
  let node: UUIDValue
  /// Policies of all apps.
  let policies: AppPolicies
  /// Limits the registration of new devices, and is used on this thread only; nil for no limit.
  let newDevices: NewDevices?
  /// New devices that this batch has counted against the limits.
  private(set) var admitted: [NewDevices.Source] = []
  /// Current device rows of this batch: read, changed, and written once at the end.
  var devices: [DeviceID: Devices.Record] = [:]
  /// Devices of `devices` that were only read: another session may change their rows until they are locked.
  private var unlocked: Set<DeviceID> = []
  var changedDevices: Set<DeviceID> = []
  /// For each changed device, whether it was active before the batch.
  private var wereActive: [DeviceID: Bool] = [:]
  var counts = BadgeCounts()
  var badgeSync = BadgeSync()
  var bindings = BindingSteps()
  /// Devices of the users who may have only one device.
  private var devicesOfUsers: [Users.Key: [DeviceID]] = [:]

  init(
    operations: Int, writer: Int32, node: UUIDValue, policies: AppPolicies, now: Timestamp, readAt: Instant,
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

  /// Turns all other devices of a user into guests, if the user may have only one.
  func releaseOthers(of user: Users.Key, for device: DeviceID) {
    guard policies.single.contains(user.app), !user.userKey.isGuest else { return }
    for other in devicesOfUsers[user] ?? [] where other != device {
      // Use the current row, because an earlier operation of the batch may have changed the device already.
      guard var record = devices[other], record.userKey == user.userKey else { continue }
      record.release()
      record.boundAt = now
      change(record)
    }
    // A later operation of the batch may bind another device to the user: a returned push names no user, so it
    // conflicts with none.
    devicesOfUsers[user, default: []].append(device)
  }

  /// Counts a new device against the limits, and adds it to `admitted`.
  /// - Returns: the reason to refuse it, in which case it is not counted; nil if it may register.
  func admit(_ app: App, from origin: IPAddress?) -> Problem? {
    guard let newDevices else { return nil }
    if let problem = newDevices.refusal(of: app, from: origin, now: readAt) { return problem }
    admitted.append(NewDevices.Source(app: app.number, address: origin))
    return nil
  }

  /// Returns the user name that the device may see. A device whose user nobody vouched for only gets back the name it
  /// gave; otherwise it could look up customers' names by their CUIDs.
  /// - Parameters:
  ///   - given: the name that the device gave; empty if none.
  ///   - stored: the user's stored name; nil to use the name in `counts`.
  func shownName(_ given: String, stored: String? = nil, of record: Devices.Record) -> String {
    guard record.identity > .open else { return given }
    return stored ?? counts.name(of: Users.Key(app: record.app, userKey: record.userKey))
  }

  /// Remembers devices that were locked.
  func remember(_ records: [Devices.Record]) {
    for record in records {
      devices[record.device] = record
      unlocked.remove(record.device)
    }
  }

  /// Remembers devices that were read without a lock. Rows that this batch already has are kept, because locked ones
  /// are more recent.
  func rememberUnlocked(_ records: [Devices.Record]) {
    for record in records where devices[record.device] == nil {
      devices[record.device] = record
      unlocked.insert(record.device)
    }
  }

  /// Returns whether this batch has locked the device, so that it may change the row.
  func hasLocked(_ device: DeviceID) -> Bool { devices[device] != nil && !unlocked.contains(device) }

  /// Remembers devices that were locked, including those locked because their user may have only one. Rows that this
  /// batch has locked already are kept.
  func rememberOwned(_ records: [Devices.Record]) {
    remember(records.filter { !hasLocked($0.device) })
    for record in records where policies.single.contains(record.app) {
      devicesOfUsers[Users.Key(app: record.app, userKey: record.userKey), default: []].append(record.device)
    }
  }

  /// Changes a device's row, which round 2 writes.
  func change(_ record: Devices.Record) {
    if changedDevices.insert(record.device).inserted {
      wereActive[record.device] = devices[record.device]?.state == .active
    }
    devices[record.device] = record
  }

  /// Returns the steps that add to the statistics the changed devices that became active or ceased to be active; empty
  /// if there are none.
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
