package import Time

/// The consents that a device's user has given or withdrawn, with their times.
///
/// If an app never asks, there are no consents, and its devices receive everything except advertising, which many
/// countries allow only with prior consent. Decision 064.
package struct Consents: Equatable, Sendable {
  package struct Answer: Equatable, Sendable {
    package let isGiven: Bool
    /// Time at which consent was given or withdrawn; the first time if the same answer was repeated.
    package let at: Timestamp

    package init(isGiven: Bool, at: Timestamp) {
      self.isGiven = isGiven
      self.at = at
    }
  }

  /// Consent to notifications in general; nil if never asked.
  package var notification: Answer?
  /// Consent to advertising; nil if never asked.
  package var ad: Answer?
  /// Consent to advertising at night; nil if never asked.
  package var nightAd: Answer?

  package init() {}

  /// A device's report of answers; nil for consents that it does not report.
  package struct Change: Equatable, Sendable {
    package var notification: Bool?
    package var ad: Bool?
    package var nightAd: Bool?

    package init() {}
  }

  /// Applies a report. Consents that it does not contain stay unchanged, and an answer that does not change keeps its
  /// time.
  package mutating func apply(_ change: Change, at now: Timestamp) {
    func merge(_ answer: inout Answer?, _ value: Bool?) {
      guard let value, answer?.isGiven != value else { return }
      answer = Answer(isGiven: value, at: now)
    }
    merge(&notification, change.notification)
    merge(&ad, change.ad)
    merge(&nightAd, change.nightAd)
  }
}

/// Category of a message, which determines the consents that it needs.
package enum MessageKind: String, CaseIterable, Sendable {
  /// An ordinary message: sent to everyone except those who have withdrawn consent to notifications.
  case notice
  /// Advertising: sent only to those who have consented to it and have not withdrawn consent to notifications.
  case ad
  /// A message that must be delivered (one-time passwords, alarms, legal notices): sent to everyone.
  case essential

  /// Returns whether a device with these consents may receive the message. True means given, false withdrawn, and nil
  /// never asked.
  package func mayReach(notification: Bool?, ad: Bool?) -> Bool {
    switch self {
    case .essential: true
    case .notice: notification != false
    case .ad: notification != false && ad == true
    }
  }
}
