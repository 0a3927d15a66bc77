/// The effect of a read on the badge count.
package enum BadgeOption: Equatable, Sendable {
  /// Decrements the count, to no less than 0. Once per user and message, and not if the message's increment has been
  /// reverted because every delivery failed.
  case keep
  /// Sets the count to 0. Once per user and message.
  case reset
  /// Sets the count to a number. Once per user and message.
  case update(Int16)
  /// Sets the count to a number with each read; the last one wins.
  case force(Int16)

  /// True if a repeated read of the same message must not change the count again.
  package var actsOncePerMessage: Bool {
    if case .force = self { false } else { true }
  }

  /// True if the new count does not depend on the earlier one; false for `keep`, which decrements it.
  package var setsCount: Bool { self != .keep }

  /// The number of the option that is stored with the read. The new count is stored separately.
  package var code: Int16 {
    switch self {
    case .keep: 0
    case .reset: 1
    case .update: 2
    case .force: 3
    }
  }

  /// Returns the count after this option is applied to `count`, without regard to whether it was applied before.
  package func apply(to count: Int16) -> Int16 {
    switch self {
    case .keep: BadgeCount.clamp(count - 1)
    case .reset: 0
    case .update(let value), .force(let value): value
    }
  }
}

/// Arithmetic on badge counts, which are always in 0…1000.
package enum BadgeCount {
  package static func clamp(_ count: Int16) -> Int16 {
    min(max(count, Domain.Limits.badgeCount.lowerBound), Domain.Limits.badgeCount.upperBound)
  }

  /// Returns the count after a message that adds `increment`, at most 1000.
  package static func add(_ increment: Int16, to count: Int16) -> Int16 {
    clamp(count + increment)
  }
}

/// The effect of a send on the badge.
package enum BadgeRequest: Equatable, Sendable {
  /// The payload has no `badge` key, so the icon is unchanged.
  case none
  /// Adds this number to the user's count, once per message; the payload contains the new count.
  case increment(Int16)
  /// The payload contains this number, and the server's count is set to it.
  case set(Int16)
  /// The payload contains 0, and the server's count is set to 0.
  case clear

  /// True if claiming a recipient changes the user's badge count.
  package var movesCount: Bool { self != .none }

  /// True if the count is set instead of incremented; false also if it is not changed.
  package var setsCount: Bool {
    switch self {
    case .none, .increment: false
    case .set, .clear: true
    }
  }

  /// The increment recorded in the ledger, which is reverted if every delivery to a user fails; 0 for the other cases.
  package var increment: Int16 {
    if case .increment(let number) = self { number } else { 0 }
  }

  /// Returns the user's count after this message, if it was `present` before.
  package func count(after present: Int16) -> Int16 {
    switch self {
    case .none: present
    case .increment(let increment): BadgeCount.add(increment, to: present)
    case .set(let value): value
    case .clear: 0
    }
  }
}
