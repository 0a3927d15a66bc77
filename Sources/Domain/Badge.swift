/// The effect of a read on the badge count.
package enum BadgeOption: Equatable, Sendable {
  /// One unread message less: count − 1, never below 0. Once per user and message.
  case keep
  /// Sets the count to 0. Once per user and message.
  case reset
  /// Sets the count. Once per user and message.
  case update(Int16)
  /// Sets the count each time the call is made: the last write wins.
  case force(Int16)

  /// A repeated read must not change the count again.
  package var actsOncePerMessage: Bool {
    if case .force = self { false } else { true }
  }

  /// It sets the count, so that earlier increments no longer matter; otherwise it changes the count relatively.
  package var setsCount: Bool { self != .keep }

  /// Stored with the read.
  package var code: Int16 {
    switch self {
    case .keep: 0
    case .reset: 1
    case .update: 2
    case .force: 3
    }
  }

  /// Returns the count after this option.
  package func apply(to count: Int16) -> Int16 {
    switch self {
    case .keep: BadgeCount.clamp(count - 1)
    case .reset: 0
    case .update(let value), .force(let value): value
    }
  }
}

/// The badge count, always in 0…1000.
package enum BadgeCount {
  package static func clamp(_ count: Int16) -> Int16 {
    min(max(count, Domain.Limits.badgeCount.lowerBound), Domain.Limits.badgeCount.upperBound)
  }

  /// Returns the count after a message that adds `increment`.
  package static func add(_ increment: Int16, to count: Int16) -> Int16 {
    clamp(count + increment)
  }
}

/// The effect of a send on the badge.
package enum BadgeRequest: Equatable, Sendable {
  /// No `badge` key in the payload: the icon stays as it is.
  case none
  /// Adds to the user's count, once per message; the payload carries the new count.
  case increment(Int16)
  /// The payload carries this number; the server's count is set to it.
  case set(Int16)
  /// The payload carries 0; the server's count becomes 0.
  case clear

  /// Claiming a recipient changes their count.
  package var movesCount: Bool { self != .none }

  /// It sets the count instead of adding to it.
  package var setsCount: Bool {
    switch self {
    case .none, .increment: false
    case .set, .clear: true
    }
  }

  /// Recorded in the ledger, to be taken back if every delivery to a user ends negative.
  package var increment: Int16 {
    if case .increment(let number) = self { number } else { 0 }
  }

  /// Returns the user's count after this message.
  package func count(after present: Int16) -> Int16 {
    switch self {
    case .none: present
    case .increment(let increment): BadgeCount.add(increment, to: present)
    case .set(let value): value
    case .clear: 0
    }
  }
}
