/// What the person at a device has agreed to, and when.
///
/// An app that never asks has none of them: it gets everything but advertising, which the law of many countries allows
/// only to those who agreed before.
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

  /// To notifications at all.
  package var notification: Answer?
  /// To advertising.
  package var ad: Answer?
  /// To advertising at night.
  package var nightAd: Answer?

  package init() {}

  /// What a device says about some of them; nil: nothing.
  package struct Change: Equatable, Sendable {
    package var notification: Bool?
    package var ad: Bool?
    package var nightAd: Bool?

    package init() {}
  }

  /// Takes over what is said. Saying the same again leaves the time: it tells since when.
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

/// What a message is, as far as consents go.
package enum MessageKind: String, CaseIterable, Sendable {
  /// Anything the person expects from the app: to everyone who has not withdrawn consent to notifications.
  case notice
  /// Advertising: only to those who agreed to it, and have not withdrawn consent to notifications.
  case ad
  /// What must go (one-time passwords, alarms, what a law demands): to everyone.
  case essential

  /// True when a device with these consents may get it. Nil: never asked.
  package func mayReach(notification: Bool?, ad: Bool?) -> Bool {
    switch self {
    case .essential: true
    case .notice: notification != false
    case .ad: notification != false && ad == true
    }
  }
}
