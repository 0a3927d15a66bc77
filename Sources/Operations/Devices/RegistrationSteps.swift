internal import Domain
internal import Store
internal import Time

/// Steps for the registrations of a batch. No two of them have the same DEVICE_ID, token or named user.
///
/// The rules: a token belongs to one device and a device to one user; the last registration wins if it proves its
/// identity or the app requires no proof (`RecognizedDevice`, `RegistrationRules`). Where proof is required, a
/// registration without proof takes nothing from a user.
struct RegistrationSteps {
  private final class State {
    var entries: [Entry] = []
    /// The tokens' owners as of round 0, by a key of app number, space and token. A token that round 0 has created
    /// belongs to its DEVICE_ID's first row.
    var owners: [String: DeviceID] = [:]
    /// Refused registrations: the index of the operation and the reason.
    var refused: [(operation: Int, problem: Problem)] = []
    /// Additional tokens of the devices whose alert token changes or goes to another device, or that are guests
    /// recognized by their token; `end` removes them if the device loses its row, is unregistered, or is taken over.
    var furtherTokens: [DeviceID: [Tokens.Claimed]] = [:]
  }

  private struct Entry {
    let operation: Int
    let registration: Operation.Registration
    let vouching: AppPolicies.Vouching
    /// The row that the registration refers to; known from round 1 on.
    var row = RecognizedDevice(.lowest, .none)
    /// Device that keeps the token and stays unchanged, because the registration does not prove that it comes from that
    /// device: another device, or one that awaits its push. The registration is then answered with that device and
    /// changes nothing. Nil if there is none, and before round 2.
    var existing: DeviceID?
    var isNew = false
    var givesFullKey = true

    /// The user that the registration names, or the guest of `row` if it names the guest; nil if it names nobody.
    var user: Users.Key? {
      registration.user.map {
        let isGuest = $0.clientUID == UserKey.guestUID
        return Users.Key(
          app: registration.app.number,
          userKey: isGuest ? UserKey(guest: row.device) : UserKey(clientUID: $0.clientUID))
      }
    }
  }

  private let state = State()

  init(_ operations: [Operation], _ policies: AppPolicies, now: Timestamp) {
    for (index, operation) in operations.enumerated() {
      guard case .register(let registration) = operation else { continue }
      let vouching =
        registration.user.map { policies.vouching(for: $0, in: registration.app.number, now: now) } ?? .unproved
      if case .refused(let problem) = vouching {
        state.refused.append((index, problem))
      } else {
        state.entries.append(Entry(operation: index, registration: registration, vouching: vouching))
      }
    }
  }

  var isEmpty: Bool { state.entries.isEmpty }
  /// IDs of all rows that the registrations' DEVICE_IDs can have, whether or not they exist.
  var devices: Set<DeviceID> { Set(state.entries.flatMap(\.registration.device.rows)) }

  /// Users named by registrations in the given apps.
  func namedUsers(in apps: Set<App.Number>) -> Set<UserKey> {
    Set(
      state.entries.lazy.filter { apps.contains($0.registration.app.number) }
        .compactMap { $0.registration.user.map { UserKey(clientUID: $0.clientUID) } })
  }

  // MARK: Round 0

  /// Returns the step that locks the registrations' tokens and reads their owners; none without registrations and
  /// leaving devices. New tokens are created for the first row of their DEVICE_ID; round 2 moves them to the row that
  /// `decide` has chosen.
  /// - Parameter leaving: devices that unregister. Their tokens are locked too, in one order with the others and before
  ///   any device, which is the order of a concurrent registration of the same device.
  func lockTokens(_ batch: BatchContext, leaving: Set<DeviceID>) -> [Step] {
    guard !isEmpty || !leaving.isEmpty else { return [] }
    let state = state
    let tokens = state.entries.map { Self.token($0.registration, of: $0.registration.device) }
    return [
      Tokens.lock(tokens, leaving: leaving, at: batch.now).map {
        for owner in $0 { state.owners["\(owner.app) \(owner.psid)"] = owner.owner }
      }
    ]
  }

  // MARK: Round 1: find rows, users, and devices that lose their token

  func decide(_ batch: BatchContext) -> [Step] {
    guard !isEmpty else { return [] }
    for index in state.entries.indices {
      let registration = state.entries[index].registration
      let records = registration.device.rows.compactMap { batch.devices[$0] }
      state.entries[index].row = RecognizedDevice(registration, records)
    }
    let turnedAway = dropRefused(batch) { Self.refusal(of: $0, batch) }
    for entry in state.entries { askAboutUser(entry, batch) }
    let owners = Set(state.entries.compactMap { displacedOwner($0, batch) })
    // Also those that another operation only reads: their rows change.
    let displaced = owners.filter { !batch.hasLocked($0) }
    let changed = state.entries.filter { batch.devices[$0.row.device].map(\.psid) != $0.registration.psid }
    // Whether they are taken over can depend on vouchers, which this round reads.
    let guests = state.entries.filter {
      $0.registration.app.identity != .open && rules($0, batch).isGuestByToken
    }
    let losing = owners.union(changed.map(\.row.device)).union(guests.map(\.row.device))
    var steps: [Step] = turnedAway.isEmpty ? [] : [Tokens.forget(turnedAway)]
    guard !losing.isEmpty else { return steps }
    if !displaced.isEmpty { steps.append(Devices.lock(displaced).map { records in batch.remember(records) }) }
    let state = state
    steps.append(
      DeviceTokens.find(losing).map { tokens in state.furtherTokens = Dictionary(grouping: tokens, by: \.device) })
    return steps
  }

  private func askAboutUser(_ entry: Entry, _ batch: BatchContext) {
    guard let user = entry.user, !user.userKey.isGuest else { return }
    let present = entry.row.recognition == .none ? nil : batch.devices[entry.row.device]?.userKey
    batch.bindings.ask(Self.presented(user, entry), isNew: present != user.userKey, batch.policies)
  }

  private func owner(_ entry: Entry) -> DeviceID? {
    state.owners["\(entry.registration.app.number) \(entry.registration.psid)"]
  }

  /// Returns the other device that owned the token before this batch; nil if the token is new or belongs to the
  /// registration's own row.
  private func displacedOwner(_ entry: Entry, _ batch: BatchContext) -> DeviceID? {
    guard let owner = owner(entry), owner != entry.row.device, !isMadeNow(entry, batch) else { return nil }
    return owner
  }

  /// Returns whether the token was created for this registration. Also true if its owner is the DEVICE_ID's first row,
  /// but that row is unregistered or has another token.
  private func isMadeNow(_ entry: Entry, _ batch: BatchContext) -> Bool {
    let first = entry.registration.device
    guard owner(entry) == first else { return false }
    return batch.devices[first].map { $0.psid != entry.registration.psid || $0.state == .unregistered } ?? true
  }

  // MARK: Round 2

  func finish(_ batch: BatchContext) -> [Step] {
    var changes = TokenChanges()
    changes.forgotten = dropRefused(batch) { Self.refusal(ofUserIn: $0, batch) ?? self.refusal(ofTokenIn: $0, batch) }
    // Decide before any registration moves a token.
    for index in state.entries.indices {
      let entry = state.entries[index]
      state.entries[index].existing =
        existingOwner(entry, batch) ?? (Self.awaitsPush(entry, batch) ? entry.row.device : nil)
    }
    for index in state.entries.indices {
      let entry = state.entries[index]
      guard entry.existing == nil else {
        state.entries[index].givesFullKey = false
        continue
      }
      if isMadeNow(entry, batch) && entry.row.device != entry.registration.device || displacedOwner(entry, batch) != nil
      {
        changes.moved.append(Self.token(entry.registration, of: entry.row.device))
      }
      if let owner = displacedOwner(entry, batch) {
        changes.retired.insert(Self.token(entry.registration, of: owner))
        if takeToken(from: owner, entry.registration, batch) { end(owner, &changes) }
      }
      apply(index, &changes, batch)
    }
    return changes.steps(at: batch.now)
  }

  private func rules(_ entry: Entry, _ batch: BatchContext) -> RegistrationRules {
    RegistrationRules(
      registration: entry.registration, row: entry.row, known: batch.devices[entry.row.device],
      isVouched: isVouched(entry, batch), takesToken: displacedOwner(entry, batch) != nil, now: batch.now)
  }

  private func apply(_ index: Int, _ changes: inout TokenChanges, _ batch: BatchContext) {
    let entry = state.entries[index]
    let known = batch.devices[entry.row.device]
    let rules = self.rules(entry, batch)
    let record = rules.record
    state.entries[index].isNew = known == nil
    state.entries[index].givesFullKey = rules.givesFullKey
    if let known {
      if entry.row.recognition == .none || rules.takesGuest { end(known.device, &changes) }
      if known.psid != record.psid, known.state != .unregistered {
        changes.retired.insert(
          Tokens.Claimed(app: known.app, psid: known.psid, network: known.network, device: known.device))
      }
      // A guest's user key is derived from the row, so the row's next device would have the same one.
      if known.userKey.isGuest, entry.row.recognition == .none || !record.userKey.isGuest {
        changes.endedGuests.append(Users.Key(app: known.app, userKey: known.userKey))
      }
    }
    let user = Users.Key(app: record.app, userKey: record.userKey)
    let isPending = record.pending?.at == batch.now
    if let named = entry.registration.user, let wanted = entry.user, !wanted.userKey.isGuest,
      user == wanted || isPending
    {
      batch.counts.name(wanted, named, isVouched: isVouched(entry, batch))
    }
    let isNewHere = known?.userKey != record.userKey || known?.state == .unregistered
    if user == entry.user, !record.userKey.isGuest {
      let mayRelease = isNewHere || isVouched(entry, batch) || entry.registration.app.identity == .open
      if mayRelease { batch.releaseOthers(of: user, for: record.device) }
      batch.counts.want(user)
    } else {
      batch.counts.want(user)
    }
    if let wanted = entry.user, !wanted.userKey.isGuest, record.identity == .open, record.pending == nil {
      batch.bindings.countRefusal(\.unproved, in: record.app, batch.policies)
    }
    if isRefreshedGuest(entry, record, batch) { batch.bindings.countRefreshed(in: record.app) }
    if isNewHere, !record.userKey.isGuest { batch.bindings.note(record, batch.policies) }
    if isPending { batch.bindings.awaitPush(record) }
    batch.change(record)
  }

  /// Returns whether the device became a guest because it registered with a new token, without the key of its last
  /// registration and without naming a user, while another active row of its DEVICE_ID belongs to a user. It receives
  /// none of that user's messages until it names the user again.
  private func isRefreshedGuest(_ entry: Entry, _ record: Devices.Record, _ batch: BatchContext) -> Bool {
    guard entry.row.recognition == .none, entry.registration.user == nil, record.userKey.isGuest else { return false }
    return entry.registration.device.rows.contains { row in
      row != entry.row.device && batch.devices[row].map { $0.state == .active && !$0.userKey.isGuest } == true
    }
  }

  /// Removes all tokens of a device except its alert token.
  private func end(_ device: DeviceID, _ changes: inout TokenChanges) {
    changes.retired.formUnion(state.furtherTokens[device] ?? [])
  }

  private static func hasVoucher(_ entry: Entry, _ batch: BatchContext) -> Bool {
    entry.user.map { batch.bindings.hasVoucher(presented($0, entry)) } ?? false
  }

  private static func presented(_ user: Users.Key, _ entry: Entry) -> Vouchers.Presented {
    Vouchers.Presented(user: user, installation: entry.registration.installation, psid: entry.registration.psid)
  }

  private func isVouched(_ entry: Entry, _ batch: BatchContext) -> Bool {
    entry.vouching == .vouched || Self.hasVoucher(entry, batch)
  }

  /// Removes the registrations for which `refusal` returns a problem, and adds them to `refused`.
  /// - Returns: the tokens that round 0 created for them, to be deleted.
  private func dropRefused(_ batch: BatchContext, _ refusal: (Entry) -> Problem?) -> [Tokens.Claimed] {
    var tokens: [Tokens.Claimed] = []
    state.entries.removeAll { entry in
      guard let problem = refusal(entry) else { return false }
      state.refused.append((entry.operation, problem))
      if isMadeNow(entry, batch) { tokens.append(Self.token(entry.registration, of: entry.registration.device)) }
      return true
    }
    return tokens
  }

  private static func refusal(of entry: Entry, _ batch: BatchContext) -> Problem? {
    let registration = entry.registration
    let known = batch.devices[entry.row.device]
    let isItsToken =
      entry.row.recognition == .token && registration.proof?.isTokenOnly == true
      && registration.proof?.device == known?.device && registration.proof?.epoch == known?.authEpoch
    if registration.isOpenedByProof, entry.row.recognition != .key, !isItsToken {
      // The key of a device that is gone or has unregistered is no longer valid.
      return Problem(.badCredential, "This authKey has ended. Register with the app's client key.")
    }
    guard known == nil else { return nil }
    return batch.admit(registration.app, from: registration.origin)
  }

  /// Returns the problem if the registration names a user without the required proof or voucher. Nil if the device
  /// proves its identity and keeps its current or pending user, and for SDK registrations, whose protocol has no error
  /// for a missing proof.
  private static func refusal(ofUserIn entry: Entry, _ batch: BatchContext) -> Problem? {
    guard entry.vouching == .missing, entry.registration.user?.isFromSDK == false, let user = entry.user,
      !hasVoucher(entry, batch)
    else { return nil }
    // A device that proves its identity keeps its current or pending user.
    if entry.row.recognition == .key, let known = batch.devices[entry.row.device],
      known.userKey == user.userKey || known.pending?.userKey == user.userKey
    {
      return nil
    }
    return AppPolicies.noProof
  }

  /// Returns the problem if, in an app that requires proof, the token belongs to a device that has a user, and the
  /// registration neither has that device's key nor a user who is vouched for. Always nil for SDK registrations:
  /// `existing` and `RegistrationRules.isRecognised` limit what they change.
  private func refusal(ofTokenIn entry: Entry, _ batch: BatchContext) -> Problem? {
    guard !entry.registration.isFromSDK, !Self.awaitsPush(entry, batch) else { return nil }
    if existingOwner(entry, batch) == nil {
      let known = batch.devices[entry.row.device]
      let isStranger =
        entry.row.recognition == .token && known?.userKey.isGuest == false && entry.registration.app.identity != .open
        && !isVouched(entry, batch)
      guard isStranger else { return nil }
    }
    return Problem(
      .userMismatch,
      """
      This token belongs to a device that has a user. Register with that device's authKey, or have the app's server \
      vouch for the user (userProof, or a voucher).
      """)
  }

  /// Returns whether the registration names no user and comes with the token-only key of a user's device that awaits
  /// its push: an app registers at every start, even before the push has arrived.
  private static func awaitsPush(_ entry: Entry, _ batch: BatchContext) -> Bool {
    let registration = entry.registration
    guard registration.app.identity == .strict, registration.user == nil, entry.row.recognition == .token,
      let key = registration.proof, key.isTokenOnly, let known = batch.devices[entry.row.device]
    else { return false }
    return key.device == known.device && key.epoch == known.authEpoch && !known.userKey.isGuest && known.pending != nil
  }

  /// Returns the other device that keeps the token, because the app requires proof, that device has a user, and the
  /// registration's user is not vouched for; nil if the registration may take the token.
  private func existingOwner(_ entry: Entry, _ batch: BatchContext) -> DeviceID? {
    guard entry.registration.app.identity != .open, !isVouched(entry, batch), !Self.takesBack(entry, batch),
      let owner = displacedOwner(entry, batch), let record = batch.devices[owner],
      record.psid == entry.registration.psid, record.state != .unregistered, !record.userKey.isGuest
    else { return nil }
    return owner
  }

  /// Returns whether the registration comes with the key of a vouched user's device that had this token last: only a
  /// registration whose user is vouched for, too, can have taken the token from it.
  private static func takesBack(_ entry: Entry, _ batch: BatchContext) -> Bool {
    guard entry.row.recognition == .key, let known = batch.devices[entry.row.device] else { return false }
    return known.identity > .open && known.psid == entry.registration.psid
  }

  /// Unregisters the device that had the token, since nothing can reach it any more.
  /// - Returns: false, having changed nothing, if the device registers in this batch itself or already has another
  ///   token.
  private func takeToken(
    from owner: DeviceID, _ registration: Operation.Registration, _ batch: BatchContext
  ) -> Bool {
    // A device that registers another token in this batch is handled by its own registration; one whose row has another
    // token has already moved on.
    guard !state.entries.contains(where: { $0.row.device == owner && $0.existing == nil }),
      var record = batch.devices[owner], record.psid == registration.psid
    else { return false }
    record.state = .unregistered
    batch.change(record)
    return true
  }

  private static func token(_ registration: Operation.Registration, of device: DeviceID) -> Tokens.Claimed {
    Tokens.Claimed(
      app: registration.app.number, psid: registration.psid, network: registration.network, device: device)
  }

  // MARK: Answers

  func answer(_ batch: BatchContext) {
    for refused in state.refused { batch.fail(refused.operation, refused.problem) }
    for entry in state.entries {
      guard var record = batch.devices[entry.existing ?? entry.row.device] else { continue }
      let key = AuthKeyring.Claim(device: record.device, epoch: record.authEpoch, isTokenOnly: !entry.givesFullKey)
      if batch.policies.hidesUser(of: record, from: key) { record = record.withoutUser }
      let user = Users.Key(app: record.app, userKey: record.userKey)
      batch.results[entry.operation] = .success(
        .registered(
          .init(
            device: record, badge: batch.counts[user],
            userName: batch.shownName(entry.registration.user?.name ?? "", of: record), isNew: entry.isNew,
            givesFullKey: entry.givesFullKey)))
    }
  }
}

/// Changes to tokens and guests that the registrations of a batch make, in addition to those of device rows.
private struct TokenChanges {
  var forgotten: [Tokens.Claimed] = []
  var retired: Set<Tokens.Claimed> = []
  var moved: [Tokens.Claimed] = []
  var endedGuests: [Users.Key] = []

  func steps(at now: Timestamp) -> [Step] {
    (forgotten.isEmpty ? [] : [Tokens.forget(forgotten)])
      + (retired.isEmpty ? [] : [Tokens.retire(Array(retired), at: now)])
      + (moved.isEmpty ? [] : [Tokens.move(moved, at: now)])
      + (endedGuests.isEmpty ? [] : [Users.forgetGuests(endedGuests)])
  }
}
