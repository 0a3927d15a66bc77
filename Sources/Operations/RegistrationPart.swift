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
    /// Refused before anything was written.
    var refused: [(operation: Int, problem: Problem)] = []
    /// Further tokens of devices that may lose them.
    var furtherTokens: [DeviceID: [Tokens.Claimed]] = [:]
  }

  private struct Entry {
    let operation: Int
    let registration: Operation.Registration
    /// It names a user, and nobody vouches for that.
    let isUnproved: Bool
    var isNew = false
  }

  private let state = State()

  init(_ operations: [Operation], _ policies: AppPolicies, now: Int64) {
    for (index, operation) in operations.enumerated() {
      guard case .register(let registration) = operation else { continue }
      let vouching = registration.user.map { policies.vouching(for: $0, in: registration.app.number, now: now) }
      if case .refused(let problem) = vouching {
        state.refused.append((index, problem))
      } else {
        state.entries.append(
          Entry(operation: index, registration: registration, isUnproved: vouching == .missing))
      }
    }
  }

  var isEmpty: Bool { state.entries.isEmpty }
  var devices: Set<DeviceID> { Set(state.entries.map(\.registration.device)) }

  /// Users who are named in some apps.
  func namedUsers(in apps: Set<App.Number>) -> Set<UserKey> {
    Set(
      state.entries.lazy.filter { apps.contains($0.registration.app.number) }
        .compactMap { $0.registration.user.map { UserKey(clientUID: $0.clientUID) } })
  }

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
    let owners = Set(state.entries.compactMap { displacedOwner($0.registration) })
    let displaced = owners.filter { batch.devices[$0] == nil }
    let changed = state.entries.lazy.map(\.registration).filter { batch.devices[$0.device].map(\.psid) != $0.psid }
    let losing = owners.union(changed.map(\.device))
    guard !losing.isEmpty else { return [] }
    let state = state
    return (displaced.isEmpty ? [] : [Devices.lock(displaced).map { records in batch.remember(records) }])
      + [
        DeviceTokens.find(losing).map { tokens in
          state.furtherTokens = Dictionary(grouping: tokens, by: \.device)
        }
      ]
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
    var ended: [Tokens.Claimed] = []
    let turnedAway = turnAway(batch)
    for index in state.entries.indices {
      let registration = state.entries[index].registration
      if let owner = displacedOwner(registration) {
        retired.insert(Self.token(registration, of: owner))
        moved.append(Self.token(registration))
        if takeToken(from: owner, registration, batch) { ended += state.furtherTokens[owner] ?? [] }
      }
      let known = batch.devices[registration.device]
      state.entries[index].isNew = known == nil
      let isUnproved = state.entries[index].isUnproved
      let record = Self.merge(registration, into: known, isUnproved: isUnproved, now: batch.now)
      if let known {
        if Self.isTakenOver(known, by: registration) { ended += state.furtherTokens[known.device] ?? [] }
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
        let isVouched = !isUnproved && batch.policies.vouchesForUsers(in: user.app)
        batch.counts.name(user, named.name, isVouched: isVouched)
        batch.releaseOthers(of: user, for: record.device)
      } else {
        batch.counts.want(user)
      }
      batch.change(record)
    }
    var steps: [Step] = turnedAway.isEmpty ? [] : [Tokens.forget(turnedAway)]
    retired.formUnion(ended)
    if !retired.isEmpty { steps.append(Tokens.retire(Array(retired), at: batch.now)) }
    if !moved.isEmpty { steps.append(Tokens.move(moved, at: batch.now)) }
    if !endedGuests.isEmpty { steps.append(Users.forgetGuests(endedGuests)) }
    return steps
  }

  /// Takes out who may not register, now that it is known what stands there. Returns the tokens that were made for them.
  private func turnAway(_ batch: OperationBatch) -> [Tokens.Claimed] {
    var tokens: [Tokens.Claimed] = []
    state.entries.removeAll { entry in
      guard let problem = Self.refusal(of: entry.registration, batch) else { return false }
      let registration = entry.registration
      state.refused.append((entry.operation, problem))
      // What a registered device has was there before.
      let isItsOwn = batch.devices[registration.device].map { known in
        known.state != .unregistered && known.psid == registration.psid
      }
      if isItsOwn != true { tokens.append(Self.token(registration)) }
      return true
    }
    return tokens
  }

  private static func refusal(of registration: Operation.Registration, _ batch: OperationBatch) -> Problem? {
    let known = batch.devices[registration.device]
    if registration.isOpenedByProof {
      // The key of a device that is gone, or that has given itself up, opens nothing any more.
      guard let known, let proof = registration.proof, proof.device == known.device, proof.epoch == known.authEpoch
      else {
        return Problem(.badCredential, "This authKey has ended. Register with the app's client key.")
      }
    }
    guard known == nil else { return nil }
    return batch.admit(registration.app, from: registration.origin)
  }

  /// The device that had the token can get nothing any more. False when it has another one by now.
  private func takeToken(
    from owner: DeviceID, _ registration: Operation.Registration, _ batch: OperationBatch
  ) -> Bool {
    // One that registers another token in this very batch looks after itself; one whose row says another token has
    // moved on already.
    guard !devices.contains(owner), var record = batch.devices[owner], record.psid == registration.psid else {
      return false
    }
    record.state = .unregistered
    batch.change(record)
    return true
  }

  /// A known device comes with a new token, and with nothing that shows it is the same one: anybody may know its
  /// DEVICE_ID.
  private static func isTakenOver(_ known: Devices.Record, by registration: Operation.Registration) -> Bool {
    guard known.psid != registration.psid, known.psid != registration.formerPSID else { return false }
    return registration.proof.map { $0.device != known.device || $0.epoch != known.authEpoch } ?? true
  }

  /// The row that a registration leaves. Pure: the rules of D1.
  /// - Parameter isUnproved: nobody vouches for the user that it names: only a device that has this user already, and is
  ///   not another one, keeps it.
  static func merge(
    _ registration: Operation.Registration, into known: Devices.Record?, isUnproved: Bool = false, now: Int64
  ) -> Devices.Record {
    let guest = UserKey(guest: registration.device)
    var named = registration.user.map { $0.clientUID == UserKey.guestUID ? guest : UserKey(clientUID: $0.clientUID) }
    if isUnproved {
      let keepsUser = known.map {
        $0.state != .unregistered && $0.userKey == named && !isTakenOver($0, by: registration)
      }
      if keepsUser != true { named = guest }
    }
    guard var record = known else {
      var record = Devices.Record(
        device: registration.device, app: registration.app.number, userKey: named ?? guest,
        network: registration.network, environment: registration.environment, psid: registration.psid,
        installation: registration.installation, attributes: registration.attributes, now: now)
      record.consents.apply(registration.consents, at: now)
      return record
    }
    let isSameToken = record.psid == registration.psid
    let isAnother = isTakenOver(record, by: registration)
    if isAnother {
      record.consents = Consents()
      record.authEpoch &+= 1
      record.userKey = guest
    }
    if let named { record.userKey = named }
    let isSameBinding = isSameToken && record.state == .active && record.userKey == known?.userKey
    if !isSameBinding { record.boundAt = now }
    record.environment = registration.environment
    record.state = .active
    record.psid = registration.psid
    let isKept = registration.keepsUnsaid && !isAnother
    record.attributes = isKept ? registration.attributes.keepingUnsaid(of: record.attributes) : registration.attributes
    record.consents.apply(registration.consents, at: now)
    record.registeredAt = now
    record.seenAt = now
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
    for refused in state.refused { batch.fail(refused.operation, refused.problem) }
    for entry in state.entries {
      guard let record = batch.devices[entry.registration.device] else { continue }
      let user = Users.Key(app: record.app, userKey: record.userKey)
      batch.results[entry.operation] = .success(
        .registered(
          device: record, badge: batch.counts[user],
          userName: batch.shownName(entry.registration.user?.name ?? "", of: user),
          isNew: entry.isNew))
    }
  }
}
