internal import Domain
internal import Store

/// Which users of a batch have other devices that must be told a new count, in apps that want it.
///
/// Only what a device did is told (a read, a set): a send carries its count to all devices by itself.
struct BadgeSync {
  private final class Found {
    var several: Set<Users.Key> = []
  }

  private let found = Found()
  private var changes: [Users.Key: DeviceID?] = [:]

  /// Learns which users have more than one device. Round 2.
  func look(_ users: Set<Users.Key>, _ policies: AppPolicies) -> [Step] {
    let asked = users.filter { policies.badgeSync.contains($0.app) && !$0.userKey.isGuest }
    guard !asked.isEmpty else { return [] }
    let found = found
    return [
      DirectSends.members(asked).map { members in
        found.several = Set(members.filter { $0.value.count > 1 }.map(\.key))
      }
    ]
  }

  /// A device has moved its user's count.
  mutating func note(_ user: Users.Key, by device: DeviceID) {
    guard found.several.contains(user) else { return }
    // Of two devices neither knows the sum.
    if let known = changes[user], known != device { changes[user] = .some(nil) } else { changes[user] = device }
  }

  /// Round 3, behind the users' locks.
  func save(at now: Int64) -> [Step] {
    guard !changes.isEmpty else { return [] }
    return [
      BadgeSyncs.queue(
        changes.map { (user: $0.key, device: $0.value) },
        dueAt: now + Operations.Limits.badgeSyncMicroseconds)
    ]
  }
}

extension Operations.Limits {
  /// How long changes of a user's count are gathered before its other devices are told, in microseconds (a second).
  static let badgeSyncMicroseconds: Int64 = 1_000_000
}
