internal import Domain
internal import Store
internal import Time

/// Tracks which users' other devices must be notified of a new badge count, in apps with that setting
/// (`AppPolicies.badgeSync`).
///
/// Only changes made by a device (a read, a set) are synchronized: a send carries its count to all devices anyway.
struct BadgeSync {
  private final class Found {
    var several: Set<Users.Key> = []
  }

  private let found = Found()
  private var changes: [Users.Key: DeviceID?] = [:]

  /// Returns the steps that find the users with more than one device, for round 2. Ignores guests, and users of apps
  /// without the setting; empty if no users are left.
  func look(_ users: Set<Users.Key>, _ policies: AppPolicies) -> [Step] {
    let asked = users.filter { policies.badgeSync.contains($0.app) && !$0.userKey.isGuest }
    guard !asked.isEmpty else { return [] }
    let found = found
    return [
      // Two of them are enough to know: an account that many share may have any number.
      Bindings.some(of: asked).map { devices in
        found.several = Set(devices.filter { $0.value.count > 1 }.map(\.key))
      }
    ]
  }

  /// Records that a device changed its user's count. Has no effect unless `look` has found that the user has more than
  /// one device.
  mutating func note(_ user: Users.Key, by device: DeviceID) {
    guard found.several.contains(user) else { return }
    // If two devices changed it, neither knows the final count.
    if let known = changes[user], known != device { changes[user] = .some(nil) } else { changes[user] = device }
  }

  /// Returns the steps that queue the notifications, due after `badgeSyncDelay`; empty if there are none. For round 3,
  /// after the users are locked.
  func save(at now: Timestamp) -> [Step] {
    guard !changes.isEmpty else { return [] }
    return [
      BadgeSyncs.queue(
        changes.map { (user: $0.key, device: $0.value) },
        dueAt: now + Operations.Limits.badgeSyncDelay)
    ]
  }
}

extension Operations.Limits {
  /// Time for which changes of a user's count are gathered before its other devices are notified: one second.
  static let badgeSyncDelay: Duration = .seconds(1)
}
