internal import Domain
internal import Store
internal import Time

/// Reads and writes of a batch for binding users to devices: vouchers, notices, events and audit entries about users'
/// new devices, and counted refusals.
struct BindingSteps {
  private final class State {
    var presented: Set<Vouchers.Presented> = []
    /// The devices for which vouchers that this batch has used vouch.
    var vouched: Set<Vouchers.Presented> = []
    var named: Set<Users.Key> = []
    var devices: [Users.Key: [DeviceID]] = [:]
  }

  private let state = State()
  private var added: [Devices.Record] = []
  private var notices: [DeviceNotices.New] = []
  private var refusals: [App.Number: Bindings.Refusals] = [:]

  // MARK: Round 1

  /// Requests what round 1 must read because a device names a user. If the app accepts vouchers, a voucher for the user
  /// that fits the device is used even if it is not needed; otherwise another device could use it later.
  /// - Parameter isNew: whether the device does not have this user yet, so that the user's other devices are read for
  ///   `note`.
  func ask(_ presented: Vouchers.Presented, isNew: Bool, _ policies: AppPolicies) {
    if isNew { state.named.insert(presented.user) }
    guard policies.rules(of: presented.user.app).sought > .open else { return }
    state.presented.insert(presented)
  }

  func look(at now: Timestamp) -> [Step] {
    let state = state
    return
      (state.presented.isEmpty
      ? [] : [Vouchers.use(Array(state.presented), at: now).map { state.vouched = $0 }])
      + (state.named.isEmpty ? [] : [Bindings.some(of: state.named).map { state.devices = $0 }])
  }

  // MARK: Round 2

  /// Returns whether this batch has used a voucher that vouches for this device of the user.
  func hasVoucher(_ presented: Vouchers.Presented) -> Bool { state.vouched.contains(presented) }

  /// Counts a request that the app's identity mode refuses, or that its simulated stricter mode would refuse. Does
  /// nothing if both modes are `open`.
  mutating func countRefusal(
    _ kind: WritableKeyPath<Bindings.Refusals, Int64>, in app: App.Number, _ policies: AppPolicies
  ) {
    guard policies.rules(of: app).wanted > .open else { return }
    refusals[app, default: Bindings.Refusals()][keyPath: kind] += 1
  }

  /// Counts a device that became a guest because its token changed and it did not prove its identity.
  mutating func countRefreshed(in app: App.Number) {
    refusals[app, default: Bindings.Refusals()].refreshed += 1
  }

  /// Records that a device was bound to a user. If the user has another active device, `tell` stores an event and an
  /// audit entry, and, if the app wants that, a notice to the other devices; otherwise nothing happens.
  mutating func note(_ record: Devices.Record, _ policies: AppPolicies) {
    let user = Users.Key(app: record.app, userKey: record.userKey)
    guard state.devices[user]?.contains(where: { $0 != record.device }) == true else { return }
    added.append(record)
    if policies.rules(of: record.app).tellsDevices {
      notices.append(DeviceNotices.New(device: record.device, user: user, kind: .newDevice))
    }
  }

  /// Queues the push that the device must return to prove that it receives pushes.
  mutating func awaitPush(_ record: Devices.Record) {
    let user = Users.Key(app: record.app, userKey: record.userKey)
    notices.append(DeviceNotices.New(device: record.device, user: user, kind: .possession))
  }

  /// Returns the steps that store events, audit entries, notices and counts. They run after the device rows are
  /// written.
  func tell(writer: Int32, at now: Timestamp) -> [Step] {
    var steps: [Step] = []
    if !added.isEmpty {
      steps.append(Events.devicesAdded(added.map(\.device)))
      steps += added.map { AuditTrail.add($0) }
    }
    if !notices.isEmpty { steps.append(DeviceNotices.queue(notices, at: now)) }
    if !refusals.isEmpty { steps.append(Bindings.count(refusals, writer: writer, at: now)) }
    return steps
  }
}
