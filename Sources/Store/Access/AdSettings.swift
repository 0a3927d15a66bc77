package import Domain
internal import Postgres

/// Reads and saves the rules of an app for advertising messages.
package enum AdSettings {
  private static let columnList = "ad_night_from::text, ad_night_to::text, ad_label, ad_opt_out"

  private static let findStatement = Statement(
    "ad-settings-find", "SELECT \(columnList) FROM apps WHERE app = $1")

  /// Returns an app's rules; nil if the app does not exist.
  package static func find(_ app: App.Number) -> Query<AdRules?> {
    Query(findStatement, app, read: rules)
  }

  private static let lockStatement = Statement(
    "ad-settings-lock", "SELECT \(columnList) FROM apps WHERE app = $1 FOR NO KEY UPDATE")

  /// Locks an app's rules until the transaction ends, and returns them; nil if the app does not exist.
  package static func lock(_ app: App.Number) -> Query<AdRules?> {
    Query(lockStatement, app, read: rules)
  }

  private static let saveStatement = Statement(
    "ad-settings-save",
    """
    UPDATE apps SET ad_night_from = $2::text::time, ad_night_to = $3::text::time, ad_label = $4, ad_opt_out = $5
    WHERE app = $1 RETURNING \(columnList)
    """)

  /// Saves an app's rules and returns them as stored; nil if the app does not exist. The schema rejects a night that
  /// begins and ends at the same time.
  package static func save(_ rules: AdRules, of app: App.Number) -> Query<AdRules?> {
    Query(
      saveStatement, app, rules.night?.from.text, rules.night?.to.text, rules.label, rules.optOut, read: self.rules)
  }

  private static func rules(_ rows: Rows) -> AdRules? {
    rows.decodeFirst { row in
      let from = row.optionalText().flatMap { ClockTime($0) }
      let to = row.optionalText().flatMap { ClockTime($0) }
      var night: AdRules.Night?
      if let from, let to { night = AdRules.Night(from: from, to: to) }
      return AdRules(night: night, label: row.text(), optOut: row.text())
    }
  }
}
