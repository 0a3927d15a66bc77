package import Domain
internal import Postgres
package import Time

/// Lists and deletes push credentials of apps. Returns only their public parts, never their secrets.
package enum CredentialLists {
  package struct Credential: Sendable {
    package let app: App.Number
    package let appID: String
    package let network: PushNetwork
    package let kind: String
    /// The public part of the credential as a JSON object, whose members depend on `kind`: for an APNs key, key id and
    /// team id; for a certificate, its topics, environments and expiry; for FCM, the service account and its settings.
    package let shown: String
    package let updatedAt: Timestamp
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

  /// Returns at most `limit` credentials after `after` (exclusive), in the order of app and network number.
  /// - Parameter app: nil for the credentials of all apps.
  package static func page(
    of app: App.Number?, after: (app: App.Number, network: Int16), limit: Int
  ) -> Query<[Credential]> {
    Query(each: pageStatement, app, after.app, after.network, limit) { row in
      Credential(
        app: row.int32(), appID: row.text(), network: PushNetwork(rawValue: row.int16()) ?? .apns, kind: row.text(),
        shown: row.text(), updatedAt: row.timestamp(), check: CredentialChecks.check(&row))
    }
  }

  private static let lockStatement = Statement(
    "credential-lists-lock",
    "SELECT kind, public_part::text FROM credentials WHERE app = $1 AND network = $2 FOR NO KEY UPDATE")

  /// Locks an app's credential for a network. Returns its kind and public part; nil if there is none.
  package static func lock(
    of app: App.Number, _ network: PushNetwork
  ) -> Query<(kind: String, shown: String)?> {
    Query(first: lockStatement, app, network.rawValue) { ($0.text(), $0.text()) }
  }

  private static let deleteStatement = Statement(
    "credential-lists-delete",
    "DELETE FROM credentials WHERE app = $1 AND network = $2 RETURNING kind, public_part::text")

  /// Deletes an app's credential for a network. Returns its kind and public part; nil if there was none.
  package static func delete(
    of app: App.Number, _ network: PushNetwork
  ) -> Query<(kind: String, shown: String)?> {
    Query(first: deleteStatement, app, network.rawValue) { ($0.text(), $0.text()) }
  }
}
