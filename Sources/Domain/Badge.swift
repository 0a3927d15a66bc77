/// What a read does to the badge count.
package enum BadgeOption: Equatable, Sendable {
  /// One message less to read: count − 1, never below 0. Once per user and message.
  case keep
  /// Back to 0. Once per user and message.
  case reset
  /// To a value. Once per user and message.
  case update(Int16)
  /// To a value, each time the call is made: the last write wins.
  case force(Int16)

  /// True when a repeated read must not move the count again.
  package var actsOncePerMessage: Bool {
    if case .force = self { false } else { true }
  }

  /// True when it sets the count: what was added before counts no more. False when it moves it.
  package var setsCount: Bool { self != .keep }

  /// Raw values are stored with the read.
  package var code: Int16 {
    switch self {
    case .keep: 0
    case .reset: 1
    case .update: 2
    case .force: 3
    }
  }

  /// The count after this option.
  package func apply(to count: Int16) -> Int16 {
    switch self {
    case .keep: BadgeCount.clamp(count - 1)
    case .reset: 0
    case .update(let value), .force(let value): value
    }
  }
}

/// The count itself, always in 0…1000.
package enum BadgeCount {
  package static func clamp(_ count: Int16) -> Int16 {
    min(max(count, Domain.Limits.badgeCount.lowerBound), Domain.Limits.badgeCount.upperBound)
  }

  /// The count after a message that adds `increment`.
  package static func add(_ increment: Int16, to count: Int16) -> Int16 {
    clamp(count + increment)
  }
}

/// What a send asks of the badge.
package enum BadgeRequest: Equatable, Sendable {
  /// No `badge` key in the payload: the icon stays as it is.
  case none
  /// The user's count grows by this, once per message; the payload carries the new count.
  case increment(Int16)
  /// The payload carries this number; the server's count is set to it.
  case set(Int16)
  /// The payload carries 0; the server's count becomes 0.
  case clear

  /// True when claiming a recipient changes its count.
  package var movesCount: Bool { self != .none }

  /// True when the count is set, and not moved.
  package var setsCount: Bool {
    switch self {
    case .none, .increment: false
    case .set, .clear: true
    }
  }

  /// What the ledger notes, to be taken back should every delivery of a user end negative.
  package var increment: Int16 {
    if case .increment(let number) = self { number } else { 0 }
  }

  /// The user's count after this message.
  package func count(after present: Int16) -> Int16 {
    switch self {
    case .none: present
    case .increment(let increment): BadgeCount.add(increment, to: present)
    case .set(let value): value
    case .clear: 0
    }
  }
}
