internal import Domain
internal import Store
internal import Time

/// Device tokens other than the alert token, as set and removed by the operations of a batch. If two devices register
/// the same token, the last registration wins.
struct AdditionalTokens {
  private final class Found {
    var owners: [DeviceTokens.Wanted: DeviceTokens.Owned] = [:]
    /// The devices' current tokens.
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

  /// Other devices that own the wanted tokens.
  var others: Set<DeviceID> { Set(found.owners.filter { $0.key.device != $0.value.owner }.values.map(\.owner)) }

  // MARK: Round 2

  /// Returns the reason to refuse a token: where users are vouched for, a device may not take a token from another
  /// user's device.
  func refusal(_ operation: Operation, _ record: Devices.Record, _ batch: BatchContext) -> Problem? {
    guard let wanted = Self.wanted(operation), let owned = found.owners[wanted], owned.owner != record.device,
      batch.policies.rules(of: record.app).identity != .open, let owner = batch.devices[owned.owner],
      owner.state != .unregistered, !owner.userKey.isGuest, owner.userKey != record.userKey
    else { return nil }
    return Problem(.userMismatch, "This token belongs to a device of another user.")
  }

  /// Undoes the row that the lock created for a token, because the operation is refused.
  mutating func refuse(_ operation: Operation) {
    guard let wanted = Self.wanted(operation), found.owners[wanted]?.isNew == true else { return }
    refused.append(wanted)
  }

  /// Sets the device's token of a kind, or removes it if `psid` is nil.
  mutating func set(_ kind: TokenKind, _ psid: String?, _ record: Devices.Record) {
    retired += (found.present[record.device] ?? []).filter { $0.kind == kind && $0.psid != psid }
    if let psid { give(DeviceTokens.Wanted(device: record.device, kind: kind, psid: psid), to: record) }
  }

  /// Sets the token of one Live Activity, or removes it if `psid` is nil.
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

  /// Removes all tokens of a device.
  mutating func end(_ device: DeviceID) {
    retired += found.present[device] ?? []
  }

  func steps(at now: Timestamp) -> [Step] {
    (retired.isEmpty ? [] : [Tokens.retire(retired, at: now)])
      + (refused.isEmpty ? [] : [DeviceTokens.forget(refused)])
      + (moved.isEmpty ? [] : [Tokens.move(moved, at: now)])
  }
}
