internal import Domain
internal import Store

/// Executes the operations by which a registered device names or gives up its user, or proves that pushes reach it.
struct DeviceUsers {
  let batch: BatchContext

  // MARK: Round 1

  /// Requests the voucher and the devices of the user to whom the operation would bind the device. Does nothing for an
  /// operation that names no user, an expired key, an unregistered device, or a proof without a pending user.
  func ask(_ operation: Operation, _ record: Devices.Record) {
    // An expired key must not use a voucher.
    guard operation.claim?.epoch == record.authEpoch, record.state != .unregistered else { return }
    let wanted: UserKey
    switch operation {
    case .setUser(_, let named):
      guard named.clientUID != UserKey.guestUID else { return }
      wanted = UserKey(clientUID: named.clientUID)
    case .possess:
      guard let pending = record.pending else { return }
      wanted = pending.userKey
    default: return
    }
    batch.bindings.ask(Self.presented(wanted, record), isNew: record.userKey != wanted, batch.policies)
  }

  // MARK: Round 2

  /// Returns the problem if the operation names a user with an invalid proof or without the required one, or returns a
  /// push that does not prove that pushes reach the device; otherwise nil. No proof is required of a device that names
  /// its current or pending user or uses the legacy SDK protocol. A device without a pending user may return any push.
  /// - Parameter brought: the messages of returned pushes; messages that do not exist are missing.
  func refusal(
    of operation: Operation, by record: Devices.Record, brought: [Seqno: Messages.Origin]
  ) -> Problem? {
    switch operation {
    case .setUser(let claim, let named):
      if isBeyond(claim, named, record) { return batch.policies.limitedKey(of: record) }
      switch batch.policies.vouching(for: named, in: record.app, now: batch.now) {
      case .refused(let problem): return problem
      case .missing where !named.isFromSDK && !hasVoucher(named, record):
        let wanted = UserKey(clientUID: named.clientUID)
        return record.userKey == wanted || record.pending?.userKey == wanted ? nil : AppPolicies.noProof
      default: return nil
      }
    case .possess(_, let seqno, let psid):
      guard let pending = record.pending else { return nil }
      let origin = brought[seqno]
      let isYounger = origin.map { $0.app == record.app && $0.createdAt >= pending.at } ?? false
      return record.psid == psid && isYounger ? nil : Self.oldPush
    default: return nil
    }
  }

  /// Returns whether a key that proves no more than knowledge of the token would remove the device's user or, in
  /// `strict`, make another user wait for a push that this user's device would return.
  private func isBeyond(_ claim: AuthKeyring.Claim, _ named: NamedUser, _ record: Devices.Record) -> Bool {
    let identity = batch.policies.rules(of: record.app).identity
    guard !batch.policies.grantsFullAccess(claim, to: record, under: identity, now: batch.now) else { return false }
    if named.clientUID == UserKey.guestUID { return true }
    return identity == .strict && !record.userKey.isGuest && record.userKey != UserKey(clientUID: named.clientUID)
  }

  private static let oldPush = Problem(
    .impossible, "That push was not sent to this device since it named its user. Bring back the one that comes next.")

  private func hasVoucher(_ named: NamedUser, _ record: Devices.Record) -> Bool {
    batch.bindings.hasVoucher(Self.presented(UserKey(clientUID: named.clientUID), record))
  }

  private static func presented(_ user: UserKey, _ record: Devices.Record) -> Vouchers.Presented {
    Vouchers.Presented(
      user: Users.Key(app: record.app, userKey: user), installation: record.installation, psid: record.psid)
  }

  /// Applies the rules of `Devices.Record.name` to a device that names a user: the user is bound, becomes pending, or
  /// is not accepted. If the device names `GUEST`, removes its user instead. If the user is vouched for and the binding
  /// changes, the device's earlier keys become invalid. Call it only if `refusal` has returned nil.
  /// - Returns: the guest that the device was, if the device now has a user; otherwise nil.
  func setUser(
    _ named: NamedUser, _ claim: AuthKeyring.Claim, _ before: Devices.Record
  ) -> Users.Key? {
    guard named.clientUID != UserKey.guestUID else { return release(before) }
    let wanted = UserKey(clientUID: named.clientUID)
    let identity = batch.policies.rules(of: before.app).identity
    let vouching = batch.policies.vouching(for: named, in: before.app, now: batch.now)
    let isVouched = vouching == .vouched || hasVoucher(named, before)
    var record = before
    record.name(
      wanted, isVouched: isVouched,
      isRecognised: batch.policies.grantsFullAccess(claim, to: before, under: identity, now: batch.now),
      under: identity,
      at: batch.now)
    if record.identity == .open, record.pending == nil {
      batch.bindings.countRefusal(\.unproved, in: record.app, batch.policies)
    }
    if record.userKey == wanted || record.pending?.userKey == wanted {
      batch.counts.name(Users.Key(app: record.app, userKey: wanted), named, isVouched: isVouched)
    }
    if let pending = record.pending, pending != before.pending { batch.bindings.awaitPush(record) }
    if isVouched, record.userKey != before.userKey || record.identity > before.identity { record.authEpoch &+= 1 }
    return change(before, to: record, isVouched: isVouched)
  }

  /// Binds the device to its pending user and invalidates its earlier keys. Does nothing without a pending user, as in
  /// a repeated call.
  /// - Returns: the guest that the device was; nil if it was none.
  func possess(_ claim: AuthKeyring.Claim, _ before: Devices.Record) -> Users.Key? {
    guard let pending = before.pending else { return nil }
    var record = before
    record.bind(pending.userKey, by: .strict)
    // Keys that were issued to the guest must not give access to the user's data.
    record.authEpoch &+= claim.epochsOfProof
    batch.counts.want(Users.Key(app: record.app, userKey: record.userKey))
    return change(before, to: record, isVouched: true)
  }

  @discardableResult
  func release(_ before: Devices.Record) -> Users.Key? {
    var record = before
    record.release()
    return change(before, to: record)
  }

  private func change(_ before: Devices.Record, to after: Devices.Record, isVouched: Bool = false) -> Users.Key? {
    var record = after
    let isAnother = before.userKey != after.userKey
    if isAnother { record.boundAt = batch.now }
    batch.change(record)
    guard !record.userKey.isGuest else { return nil }
    if isAnother { batch.bindings.note(record, batch.policies) }
    if isAnother || isVouched || batch.policies.rules(of: record.app).identity == .open {
      batch.releaseOthers(of: Users.Key(app: record.app, userKey: record.userKey), for: record.device)
    }
    return before.userKey.isGuest ? Users.Key(app: before.app, userKey: before.userKey) : nil
  }
}

extension AuthKeyring.Claim {
  /// By how much a proof of possession with this key raises the device's epoch. The epoch thus records which kind of
  /// key made the proof, so that a key of the other kind cannot repeat it.
  var epochsOfProof: Int16 { isTokenOnly ? 2 : 1 }
}
