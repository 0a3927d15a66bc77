package import Domain
internal import Postgres
package import Time

/// Webhooks: the URLs of customers' servers, each with the kinds of events that the server subscribes to.
package enum Webhooks {
  package typealias Number = Int32

  package struct Record: Sendable {
    package let webhook: Number
    package let app: App.Number
    package let appID: String
    package let url: String
    /// The signing secret, encrypted with the master key for the context `place(of:)`.
    package let sealed: [UInt8]
    package let kinds: [String]
    package let isActive: Bool
    package let createdAt: Timestamp
    /// The time until which the previous secret signs too; nil if there is none, or if it has ended.
    package let formerEndsAt: Timestamp?
    /// Number of the webhook's deliveries that are waiting; nil if there are more than `countedDeliveries`.
    package let waiting: Int64?
    /// Number of the webhook's deliveries that were given up; nil if there are more than `countedDeliveries`.
    package let dead: Int64?
  }

  /// Up to this number, a webhook's deliveries in one state are counted exactly. A campaign can leave a million
  /// waiting, and the console asks every few seconds.
  package static let countedDeliveries = 10000

  private static let columnList = """
    w.webhook, w.app, a.app_id, w.url, w.sealed, array_to_string(w.kinds, ' '), w.active, w.created_at,
    CASE WHEN w.former_ends_at > now() THEN w.former_ends_at END,
    (SELECT count(*) FROM (
      SELECT FROM event_deliveries d WHERE d.webhook = w.webhook AND d.state = \(Events.State.waiting.sql)
      LIMIT \(countedDeliveries) + 1) waiting),
    (SELECT count(*) FROM (
      SELECT FROM event_deliveries d WHERE d.webhook = w.webhook AND d.state = \(Events.State.dead.sql)
      LIMIT \(countedDeliveries) + 1) dead)
    """

  private static let numberStatement = Statement(
    "webhooks-number", "SELECT nextval(pg_get_serial_sequence('webhooks', 'webhook'))::integer")

  /// Reserves the number of a webhook that is about to be created, because its secret is bound to the number.
  package static func number() -> Query<Number> {
    Query(one: numberStatement) { $0.int32() }
  }

  private static let createStatement = Statement(
    "webhooks-create",
    """
    INSERT INTO webhooks (webhook, app, url, sealed, kinds, created_at) OVERRIDING SYSTEM VALUE
    VALUES ($1, $2, $3, $4, $5, $6)
    """)

  package static func create(
    _ webhook: Number, app: App.Number, url: String, sealed: [UInt8], kinds: [String], at now: Timestamp
  ) -> Query<Void> {
    var names = TextColumn()
    for kind in kinds { names.append(kind) }
    return Query(createStatement, webhook, app, url, sealed, names, now) { _ in }
  }

  private static let findStatement = Statement(
    "webhooks-find", "SELECT \(columnList) FROM webhooks w JOIN apps a ON a.app = w.app WHERE w.webhook = $1")

  package static func find(_ webhook: Number) -> Query<Record?> {
    Query(first: findStatement, webhook, read: record)
  }

  private static let lockStatement = Statement(
    "webhooks-lock",
    """
    SELECT \(columnList) FROM webhooks w JOIN apps a ON a.app = w.app WHERE w.webhook = $1 FOR NO KEY UPDATE OF w
    """)

  /// Locks a webhook until the transaction ends, and returns it; nil if it does not exist. Its events still come in.
  package static func lock(_ webhook: Number) -> Query<Record?> {
    Query(first: lockStatement, webhook, read: record)
  }

  private static let listStatement = Statement(
    "webhooks-list",
    """
    SELECT \(columnList) FROM webhooks w JOIN apps a ON a.app = w.app
    WHERE ($1::integer IS NULL OR w.app = $1) AND w.webhook > $2 ORDER BY w.webhook LIMIT $3
    """)

  /// Returns at most `limit` webhooks in ascending order of number, starting after `webhook` (0 for the first).
  /// - Parameter app: the app of the webhooks; nil for all apps.
  package static func list(app: App.Number?, after webhook: Number, limit: Int) -> Query<[Record]> {
    Query(each: listStatement, app, webhook, limit, read: record)
  }

  private static let countStatement = Statement("webhooks-count", "SELECT count(*) FROM webhooks WHERE app = $1")

  package static func count(of app: App.Number) -> Query<Int64> {
    Query(one: countStatement, app) { $0.int64() }
  }

  private static let changeStatement = Statement(
    "webhooks-change",
    """
    UPDATE webhooks SET url = coalesce($2, url), kinds = coalesce(string_to_array($3::text, ' '), kinds), active = coalesce($4, active),
      former_sealed = CASE WHEN $5::bytea IS NULL THEN former_sealed WHEN $6 > 0 THEN sealed END,
      former_ends_at = CASE WHEN $5::bytea IS NULL THEN former_ends_at
        WHEN $6 > 0 THEN now() + make_interval(secs => $6::integer) END,
      sealed = coalesce($5, sealed)
    WHERE webhook = $1
    """)

  /// Sets those fields of a webhook for which the argument is not nil. Changes nothing if the webhook does not exist.
  /// - Parameters:
  ///   - sealed: the new signing secret, encrypted. It ends the previous secret of an earlier change at once.
  ///   - overlap: seconds for which the current secret continues to sign beside the new one; 0 ends the current secret
  ///     at once. Ignored without a new secret.
  package static func change(
    _ webhook: Number, url: String?, kinds: [String]?, isActive: Bool?, sealed: [UInt8]?, overlap: Int32
  ) -> Query<Void> {
    Query(changeStatement, webhook, url, kinds?.joined(separator: " "), isActive, sealed, overlap) { _ in }
  }

  /// Maximum number of deliveries that are deleted in one transaction with their webhook.
  package static let deletedDeliveries = 10_000

  /// Planned anew each time, like the list of a webhook's deliveries.
  private static let deleteStatement = Statement(
    "webhooks-delete",
    """
    WITH gone AS (DELETE FROM webhooks WHERE webhook = $1)
    DELETE FROM event_deliveries WHERE (event, webhook) IN (
      SELECT event, webhook FROM event_deliveries WHERE webhook = $1 ORDER BY event LIMIT \(deletedDeliveries))
    """, isKept: false)

  /// Deletes a webhook with its deliveries, of which `Retention` deletes those beyond `deletedDeliveries`. The events
  /// themselves stay.
  package static func delete(_ webhook: Number) -> Query<Void> {
    Query(deleteStatement, webhook) { _ in }
  }

  private static let sealedStatement = Statement("webhooks-sealed", "SELECT webhook, sealed FROM webhooks")

  /// Returns the current signing secrets of all apps' webhooks, encrypted. Omits previous secrets.
  package static func sealed() -> Query<[(webhook: Number, sealed: [UInt8])]> {
    Query(each: sealedStatement) { ($0.int32(), $0.bytes()) }
  }

  /// Returns the context to which the encryption of a webhook's secret is bound.
  package static func place(of webhook: Number) -> String { "webhook \(webhook)" }

  private static func record(_ row: inout RowReader) -> Record {
    Record(
      webhook: row.int32(), app: row.int32(), appID: row.text(), url: row.text(),
      sealed: row.bytes(), kinds: row.text().split(separator: " ").map(String.init),
      isActive: row.bool(), createdAt: row.timestamp(),
      formerEndsAt: row.optionalTimestamp(),
      waiting: counted(row.int64()), dead: counted(row.int64()))
  }

  /// Returns `count`, or nil if it exceeds `countedDeliveries`.
  private static func counted(_ count: Int64) -> Int64? {
    count > countedDeliveries ? nil : count
  }
}
