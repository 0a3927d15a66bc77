/// What the person at a device has consented to, and when.
///
/// An app that never asks has no answers: its devices receive everything but advertising, which the law of many
/// countries allows only with prior consent. Decision 064.
package struct Consents: Equatable, Sendable {
  package struct Answer: Equatable, Sendable {
    package let isGiven: Bool
    /// When it was last given or withdrawn, microseconds since 1970.
    package let at: Int64

    package init(isGiven: Bool, at: Int64) {
      self.isGiven = isGiven
      self.at = at
    }
  }

  /// To notifications in general.
  package var notification: Answer?
  /// To advertising.
  package var ad: Answer?
  /// To advertising at night.
  package var nightAd: Answer?

  package init() {}

  /// A device's statement about some of them; nil: no statement.
  package struct Change: Equatable, Sendable {
    package var notification: Bool?
    package var ad: Bool?
    package var nightAd: Bool?

    package init() {}
  }

  /// Merges a statement. Repeating the same answer keeps its time, which tells since when it holds.
  package mutating func apply(_ change: Change, at now: Int64) {
    func merge(_ answer: inout Answer?, _ value: Bool?) {
      guard let value, answer?.isGiven != value else { return }
      answer = Answer(isGiven: value, at: now)
    }
    merge(&notification, change.notification)
    merge(&ad, change.ad)
    merge(&nightAd, change.nightAd)
  }
}

/// The kind of a message, as far as consents are concerned.
package enum MessageKind: String, CaseIterable, Sendable {
  /// Anything the person expects from the app: to everyone except those who have withdrawn consent to notifications.
  case notice
  /// Advertising: only to those who consented to it and have not withdrawn consent to notifications.
  case ad
  /// Messages that must be sent (one-time passwords, alarms, legal notices): to everyone.
  case essential

  /// Returns whether a device with these consents may receive it. Nil: never asked.
  package func mayReach(notification: Bool?, ad: Bool?) -> Bool {
    switch self {
    case .essential: true
    case .notice: notification != false
    case .ad: notification != false && ad == true
    }
  }
}
