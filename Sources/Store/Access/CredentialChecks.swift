package import Domain
internal import Postgres
package import Time

/// Results of testing new credentials with their push network.
package enum CredentialChecks {
  /// Whether the network accepted the credential (`works`), refused it, or could not be reached. The raw values are
  /// stored in the database, so they must not change.
  package enum Result: Int16, Sendable, CaseIterable {
    case works = 1
    case refused = 2
    case unreachable = 3

    package var name: String {
      switch self {
      case .works: "works"
      case .refused: "refused"
      case .unreachable: "unreachable"
      }
    }
  }

  package struct Check: Sendable {
    /// When the credential was tested.
    package let at: Timestamp
    package let result: Result
    /// The network's answer, or why it could not be reached.
    package let word: String

    package init(at: Timestamp, result: Result, word: String) {
      self.at = at
      self.result = result
      self.word = word
    }
  }

  static let columnList = "c.checked_at, c.check_result, c.check_word"

  static func check(_ row: inout RowReader) -> Check? {
    let (at, result, word) = (row.optionalTimestamp(), row.optionalInt16(), row.optionalText())
    guard let at, let result = result.flatMap(Result.init) else { return nil }
    return Check(at: at, result: result, word: word ?? "")
  }

  private static let beginStatement = Statement(
    "credential-checks-begin",
    """
    UPDATE credentials SET check_begun_at = clock_timestamp()
    WHERE app = $1 AND network = $2 AND checked_at IS NULL
      -- Whoever began and died is waited for no longer than a check takes.
      AND (check_begun_at IS NULL OR check_begun_at < clock_timestamp() - interval '1 minute')
    RETURNING sealed
    """)

  /// Reserves the test of a credential for one node, for a minute, and returns the encrypted credential. Returns nil if
  /// there is no credential, if it has been tested, or if its test was reserved less than a minute ago.
  package static func begin(_ app: App.Number, _ network: PushNetwork) -> Query<[UInt8]?> {
    Query(first: beginStatement, app, network.rawValue) { $0.bytes() }
  }

  private static let endStatement = Statement(
    "credential-checks-end",
    """
    UPDATE credentials SET checked_at = clock_timestamp(), check_result = $4, check_word = $5
    -- Of that one, and none that has taken its place.
    WHERE app = $1 AND network = $2 AND sealed = $3
    """)

  package static func end(
    _ app: App.Number, _ network: PushNetwork, sealed: [UInt8], _ result: Result, word: String
  ) -> Query<Void> {
    Query(endStatement, app, network.rawValue, sealed, result.rawValue, word) { _ in }
  }

  private static let foundStatement = Statement(
    "credential-checks-found",
    "SELECT \(columnList), EXISTS (SELECT FROM nodes WHERE alive_until > now()) FROM credentials c WHERE app = $1 AND network = $2"
  )

  /// Returns the result of a credential's test; `check` is nil if the credential has not been tested. `isPending` is
  /// true if a node is alive that can test, whether or not the test has been done. Returns nil and false if there is no
  /// credential.
  package static func find(_ app: App.Number, _ network: PushNetwork) -> Query<(check: Check?, isPending: Bool)> {
    Query(foundStatement, app, network.rawValue) { rows in
      rows.decodeFirst { (check(&$0), $0.bool()) } ?? (nil, false)
    }
  }
}
