package import Domain
package import Postgres
internal import Store

/// Checks whether an app's iOS devices send receipts, which is the task of its Notification Service Extension.
package enum ExtensionCheck {
  /// Returns whether the extension reports: true if any of the last `watchedAlerts` accepted iOS alerts that started it
  /// was confirmed; if none was, false, or nil if fewer alerts were found. Alerts of the last minute are ignored.
  package static func reports(_ app: App, on connection: Connection) throws(Problem) -> Bool? {
    let found = try connection.answer(ExtensionReports.look(app.number, atMost: Operations.Limits.watchedAlerts))
    if found.confirmed > 0 { return true }
    return found.alerts >= Operations.Limits.watchedAlerts ? false : nil
  }

  /// Sentence that all interfaces show if `reports` returns false.
  package static let silence: Sentence = """
    the app's extension does not report: none of its last \(Operations.Limits.watchedAlerts) accepted iOS alerts with \
    mutable-content was confirmed
    """

  /// Returns a dry run's notes for the sender about the receipts from iOS devices. There are none for a message without
  /// an alert; for one that itself requires the extension (`isMutableInEffect`), only if `reports` returns false.
  static func notes(_ message: MessageRequest, _ app: App, on connection: Connection) throws(Problem) -> [Sentence] {
    let content = message.content
    guard content.pushType == .alert, content.alert != nil else { return [] }
    var notes: [Sentence] = []
    var isSilent = false
    if !content.startsExtension {
      isSilent = true
      notes.append(
        """
        Without mutable-content iOS does not start the app's extension: no receipt comes from an iPhone whose app is not \
        in front.
        """)
    } else if try reports(app, on: connection) == false {
      isSilent = true
      notes.append("In \(app.appID) \(silence).")
    } else if !content.isMutableInEffect {
      notes.append(
        "mutable-content is set, because the app has an extension, which makes the receipt (its setting extension).")
    }
    if isSilent, message.fallback?.unless == .received {
      notes.append("Nearly everybody with an iPhone is sent a short message all the same: use unless: read.")
    }
    return notes
  }
}

extension Operations.Limits {
  /// Number of alerts that must have gone without a receipt before an app's extension counts as not reporting.
  package static let watchedAlerts: Int64 = 1_000
}
