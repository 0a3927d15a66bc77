internal import Domain
internal import Store

/// Registrations of a batch: at most one per device, token and user.
///
/// The rules: a token belongs to one device, a device to one user, the last registration wins. Registering again is an
/// update. A new token for a known device keeps its user only with proof; without, the device becomes a guest and its
/// old keys end, so that knowing somebody's DEVICE_ID is worth nothing.
struct RegistrationPart {
  private final class State {
    var entries: [Entry] = []
    var owners: [String: DeviceID] = [:]
  }

  private struct Entry {
    let operation: Int
    let registration: Operation.Registration
    var isNew = false
  }

  private let state = State()

  init(_ operations: [Operation]) {
    for (index, operation) in operations.enumerated() {
      if case .register(let registration) = operation {
        state.entries.append(Entry(operation: index, registration: registration))
      }
    }
  }

  var isEmpty: Bool { state.entries.isEmpty }
  var devices: Set<DeviceID> { Set(state.entries.map(\.registration.device)) }

  // MARK: Round 0

  func lockTokens(_ batch: OperationBatch) -> [Step] {
    guard !isEmpty else { return [] }
    let state = state
    return [
      Tokens.lock(state.entries.map { Self.token($0.registration) }, at: batch.now).map { owners in
        for owner in owners { state.owners["\(owner.app) \(owner.psid)"] = owner.owner }
      }
    ]
  }

  // MARK: Round 1: devices that lose their token

  func decide(_ batch: OperationBatch) -> [Step] {
    let displaced = Set(state.entries.compactMap { displacedOwner($0.registration) }).filter {
      batch.devices[$0] == nil
    }
    guard !displaced.isEmpty else { return [] }
    return [Devices.lock(displaced).map { records in batch.remember(records) }]
  }

  private func displacedOwner(_ registration: Operation.Registration) -> DeviceID? {
    let owner = state.owners["\(registration.app.number) \(registration.psid)"]
    return owner == registration.device ? nil : owner
  }

  // MARK: Round 2

  func finish(_ batch: OperationBatch) -> [Step] {
    var retired: Set<Tokens.Claimed> = []
    var moved: [Tokens.Claimed] = []
    var endedGuests: [Users.Key] = []
    var alone: [(Users.Key, DeviceID)] = []
    for index in state.entries.indices {
      let registration = state.entries[index].registration
      if let owner = displacedOwner(registration) {
        retired.insert(Self.token(registration, of: owner))
        moved.append(Self.token(registration))
        takeToken(from: owner, registration, batch)
      }
      let known = batch.devices[registration.device]
      state.entries[index].isNew = known == nil
      let record = Self.merge(registration, into: known, now: batch.now)
      if let known {
        if known.psid != record.psid, known.state != .unregistered {
          retired.insert(
            Tokens.Claimed(app: known.app, psid: known.psid, network: known.network, device: known.device))
        }
        if known.userKey.isGuest, !record.userKey.isGuest {
          endedGuests.append(Users.Key(app: known.app, userKey: known.userKey))
        }
      }
      let user = Users.Key(app: record.app, userKey: record.userKey)
      if let named = registration.user, !record.userKey.isGuest {
        batch.counts.name(user, named.name)
        if registration.app.devicePolicy == .single { alone.append((user, record.device)) }
      } else {
        batch.counts.want(user)
      }
      batch.change(record)
    }
    var steps: [Step] = []
    if !retired.isEmpty { steps.append(Tokens.retire(Array(retired), at: batch.now)) }
    if !moved.isEmpty { steps.append(Tokens.move(moved, at: batch.now)) }
    if !alone.isEmpty { steps.append(Devices.releaseOthers(alone, at: batch.now)) }
    if !endedGuests.isEmpty { steps.append(Users.forgetGuests(endedGuests)) }
    return steps
  }

  /// The device that had the token can get nothing any more.
  private func takeToken(from owner: DeviceID, _ registration: Operation.Registration, _ batch: OperationBatch) {
    // One that registers another token in this very batch looks after itself; one whose row says another token has
    // moved on already.
    guard !devices.contains(owner), var record = batch.devices[owner], record.psid == registration.psid else { return }
    record.state = .unregistered
    batch.change(record)
  }

  /// The row that a registration leaves. Pure: the rules of D1.
  static func merge(
    _ registration: Operation.Registration, into known: Devices.Record?, now: Int64
  ) -> Devices.Record {
    let guest = UserKey(guest: registration.device)
    let named = registration.user.map { $0.clientUID == UserKey.guestUID ? guest : UserKey(clientUID: $0.clientUID) }
    guard var record = known else {
      return Devices.Record(
        device: registration.device, app: registration.app.number, userKey: named ?? guest,
        network: registration.network, environment: registration.environment, psid: registration.psid,
        installation: registration.installation, attributes: registration.attributes, now: now)
    }
    let isSameToken = record.psid == registration.psid
    let isProven = registration.proof.map { $0.device == record.device && $0.epoch == record.authEpoch } ?? false
    if !isSameToken, !isProven {
      record.authEpoch &+= 1
      record.userKey = guest
    }
    if let named { record.userKey = named }
    let isSameBinding = isSameToken && record.state == .active && record.userKey == known?.userKey
    if !isSameBinding { record.boundAt = now }
    record.environment = registration.environment
    record.state = .active
    record.psid = registration.psid
    let isKept = registration.keepsUnsaid && (isSameToken || isProven)
    record.attributes = isKept ? registration.attributes.keepingUnsaid(of: record.attributes) : registration.attributes
    record.registeredAt = now
    return record
  }

  private static func token(
    _ registration: Operation.Registration, of device: DeviceID? = nil
  ) -> Tokens.Claimed {
    Tokens.Claimed(
      app: registration.app.number, psid: registration.psid, network: registration.network,
      device: device ?? registration.device)
  }

  // MARK: Answers

  func answer(_ batch: OperationBatch) {
    for entry in state.entries {
      guard let record = batch.devices[entry.registration.device] else { continue }
      let user = Users.Key(app: record.app, userKey: record.userKey)
      batch.results[entry.operation] = .success(
        .registered(
          device: record, badge: batch.counts[user], userName: entry.registration.user?.name ?? "",
          isNew: entry.isNew))
    }
  }
}
