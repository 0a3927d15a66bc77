package import Domain
internal import Postgres

/// Lists the public parts of apps' credentials, never their secrets.
package enum CredentialLists {
  package struct Credential: Sendable {
    package let app: App.Number
    package let appID: String
    package let network: PushNetwork
    package let kind: String
    /// The public part as a JSON object: key id and team id, or topics and expiry.
    package let shown: String
    package let updatedAt: Int64
    /// Result of testing the credential with its network; nil if it has not been tested.
    package let check: CredentialChecks.Check?
  }

  private static let pageStatement = Statement(
    "credential-lists-page",
    """
    SELECT c.app, a.app_id, c.network, c.kind, c.public_part::text, c.updated_at, \(CredentialChecks.columnList)
    FROM credentials c JOIN apps a ON a.app = c.app
    WHERE ($1 IS NULL OR c.app = $1) AND (c.app, c.network) > ($2, $3) ORDER BY c.app, c.network LIMIT $4
    """)

  /// Returns one page of an app's credentials, or of all apps', after `after`.
  package static func page(
    of app: App.Number?, after: (app: App.Number, network: Int16), limit: Int
  ) -> Query<[Credential]> {
    Query(pageStatement, app, after.app, after.network, limit) { rows in
      rows.map { row in
        Credential(
          app: rows.int32(row, 0), appID: rows.text(row, 1),
          network: PushNetwork(rawValue: rows.int16(row, 2)) ?? .apns,
          kind: rows.text(row, 3), shown: rows.text(row, 4), updatedAt: rows.timestampMicroseconds(row, 5),
          check: CredentialChecks.check(rows, row, from: 6))
      }
    }
  }

  private static let deleteStatement = Statement(
    "credential-lists-delete",
    "DELETE FROM credentials WHERE app = $1 AND network = $2 RETURNING kind, public_part::text")

  /// Deletes a credential. Returns its public part; nil when there was none.
  package static func delete(
    of app: App.Number, _ network: PushNetwork
  ) -> Query<(kind: String, shown: String)?> {
    Query(first: deleteStatement, app, network.rawValue) { ($0.text(), $0.text()) }
  }
}
