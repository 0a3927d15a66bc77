internal import Domain
internal import Store
internal import Time

/// The tokens other than alert tokens that a batch's operations set and remove. Round 0 locks the tokens and inserts
/// new ones; round 2 moves and removes tokens. A token of another device moves to the device that sets it, unless
/// `refusal` prevents that.
struct AdditionalTokens {
  private final class Found {
    var owners: [DeviceTokens.Wanted: DeviceTokens.Owned] = [:]
    /// Current tokens, other than alert tokens and oldest first, of the devices that set or remove tokens, unregister,
    /// or name a user with a token-only key. Read in round 1, so the tokens that `lock` has inserted are included.
    var present: [DeviceID: [Tokens.Claimed]] = [:]
  }

  private let found = Found()
  private var retired: [Tokens.Claimed] = []
  private var moved: [Tokens.Claimed] = []
  private var refused: [DeviceTokens.Wanted] = []

  private static func wanted(_ operation: Operation) -> DeviceTokens.Wanted? {
    switch operation {
    case .setToken(let claim, let kind, let psid?):
      DeviceTokens.Wanted(device: claim.device, kind: kind, psid: psid)
    case .setActivity(let claim, let activity, let psid?):
      DeviceTokens.Wanted(device: claim.device, kind: .liveActivityUpdate, psid: psid, activity: activity)
    default: nil
    }
  }

  // MARK: Round 0

  func lock(_ operations: [Operation], _ batch: BatchContext) -> [Step] {
    let wanted = operations.compactMap(Self.wanted)
    guard !wanted.isEmpty else { return [] }
    let found = found
    return [
      DeviceTokens.lock(wanted, at: batch.now).map { owners in
        for owner in owners {
          for token in wanted
          where token.device == owner.claimant && token.psid == owner.psid && token.kind == owner.kind {
            found.owners[token] = owner
          }
        }
      }
    ]
  }

  // MARK: Round 1

  func find(_ operations: [Operation], _ batch: BatchContext) -> [Step] {
    var devices: Set<DeviceID> = []
    for operation in operations {
      switch operation {
      case .setToken(let claim, _, _), .setActivity(let claim, _, _), .unregister(let claim):
        devices.insert(claim.device)
      case .setUser(let claim, _) where claim.isTokenOnly, .possess(let claim, _, _) where claim.isTokenOnly:
        devices.insert(claim.device)
      default: break
      }
    }
    guard !devices.isEmpty else { return [] }
    let found = found
    return [
      DeviceTokens.find(devices).map { tokens in
        found.present = Dictionary(grouping: tokens, by: \.device)
      }
    ]
  }

  /// Devices that own a token that another device sets. Known after round 0.
  var others: Set<DeviceID> { Set(found.owners.filter { $0.key.device != $0.value.owner }.values.map(\.owner)) }

  // MARK: Round 2

  /// Returns the problem if a device may not take a token: unless the app's identity mode is `open`, it must not take
  /// the token of a registered device that belongs to another user. Nil in all other cases, including operations that
  /// set no token.
  func refusal(_ operation: Operation, _ record: Devices.Record, _ batch: BatchContext) -> Problem? {
    guard let wanted = Self.wanted(operation), let owned = found.owners[wanted], owned.owner != record.device,
      batch.policies.rules(of: record.app).identity != .open, let owner = batch.devices[owned.owner],
      owner.state != .unregistered, !owner.userKey.isGuest, owner.userKey != record.userKey
    else { return nil }
    return Problem(.userMismatch, "This token belongs to a device of another user.")
  }

  /// Deletes, with the steps of round 2, the row that `lock` inserted for the token of a refused operation. Does
  /// nothing if the token existed before or the operation sets none.
  mutating func refuse(_ operation: Operation) {
    guard let wanted = Self.wanted(operation), found.owners[wanted]?.isNew == true else { return }
    refused.append(wanted)
  }

  /// Sets the device's token of a kind, of which it has at most one; removes it if `psid` is nil. If another device has
  /// the token, that device loses it.
  mutating func set(_ kind: TokenKind, _ psid: String?, _ record: Devices.Record) {
    retired += (found.present[record.device] ?? []).filter { $0.kind == kind && $0.psid != psid }
    if let psid { give(DeviceTokens.Wanted(device: record.device, kind: kind, psid: psid), to: record) }
  }

  /// Sets the token of one Live Activity, or removes it if `psid` is nil. If another device has the token, that device
  /// loses it. Beyond `activitiesPerDevice`, the device's oldest Live Activities lose their tokens.
  mutating func set(_ activity: ActivityName, _ psid: String?, _ record: Devices.Record) {
    let present = (found.present[record.device] ?? []).filter { $0.kind == .liveActivityUpdate && $0.psid != psid }
    retired += present.filter { $0.activity?.id == activity.id }
    guard let psid else { return }
    // Tokens are in the order in which they were read, oldest first.
    let others = present.filter { $0.activity?.id != activity.id }
    retired += others.prefix(max(0, others.count + 1 - Domain.Limits.activitiesPerDevice))
    give(
      DeviceTokens.Wanted(device: record.device, kind: .liveActivityUpdate, psid: psid, activity: activity), to: record)
  }

  private mutating func give(_ wanted: DeviceTokens.Wanted, to record: Devices.Record) {
    guard let owned = found.owners[wanted], !owned.isNew else { return }
    func token(of device: DeviceID) -> Tokens.Claimed {
      Tokens.Claimed(
        app: record.app, psid: wanted.psid, network: record.network, device: device, kind: wanted.kind,
        activity: wanted.activity)
    }
    if owned.owner != record.device { retired.append(token(of: owned.owner)) }
    // Applies to a token that the device had before, too: earlier reports of the push network no longer concern it.
    moved.append(token(of: record.device))
  }

  /// Removes all tokens of an unregistering device except its alert token.
  mutating func end(_ device: DeviceID) {
    retired += found.present[device] ?? []
  }

  /// Removes all tokens of a device except its alert token, if the device was a guest and has become a user's with a
  /// token-only key: somebody else may have set them. No effect in `open` apps.
  mutating func end(_ guest: Users.Key?, by claim: AuthKeyring.Claim, _ batch: BatchContext) {
    guard let guest, claim.isTokenOnly, batch.policies.rules(of: guest.app).identity != .open else { return }
    end(claim.device)
  }

  func steps(at now: Timestamp) -> [Step] {
    (retired.isEmpty ? [] : [Tokens.retire(retired, at: now)])
      + (refused.isEmpty ? [] : [DeviceTokens.forget(refused)])
      + (moved.isEmpty ? [] : [Tokens.move(moved, at: now)])
  }
}
