internal import Postgres
package import Time

/// Records when API keys were last used, and finds the next expiry of a key that is in use.
package enum KeyUses {
  private static let noteStatement = Statement(
    "key-uses-note",
    """
    UPDATE api_keys SET used_at = date_trunc('minute', now())
    WHERE api_key = ANY ($1::integer[]) AND (used_at IS NULL OR used_at < date_trunc('minute', now()))
    """)

  /// Records that the keys have just been used. The time is that of the database, rounded down to the minute.
  package static func note(_ keys: [Int32]) -> Query<Void> {
    var parameters = Parameters()
    var column = Int32Column()
    for key in keys { column.append(key) }
    parameters.append(column)
    return Query(noteStatement, parameters) { _ in }
  }

  private static let nextEndStatement = Statement(
    "key-uses-next-end",
    """
    SELECT min(ends_at) FROM api_keys
    -- A key that nobody has used for 90 days is missed by nobody.
    WHERE revoked_at IS NULL AND ends_at > now() AND greatest(used_at, created_at) > now() - interval '90 days'
    """)

  /// Returns the earliest future expiry of the keys that are in use: not revoked, and used or created within the last
  /// 90 days. Returns nil if no such key expires.
  package static func nextEnd() -> Query<Timestamp?> {
    Query(one: nextEndStatement) { $0.optionalTimestamp() }
  }
}
