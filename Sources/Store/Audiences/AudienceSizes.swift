package import Domain
internal import Postgres
package import Time

/// Determines the size of an audience, and its recipient with the largest payload, before a message is accepted.
package enum AudienceSizes {
  private static let rangeStatement = Statement(
    "audience-sizes-range",
    """
    SELECT count(*) FROM (
      SELECT FROM devices
      WHERE app = $1 AND state = \(Devices.State.active.sql) AND user_key > $2 AND user_key <= $3 AND bound_at <= $4
      -- Counting stops here: more need not be known at once.
      LIMIT $5) part
    """)

  /// Counts the active devices with user keys in (`after`, `upto`] that were bound to their users by `frozenAt`.
  /// Returns at most `limit`.
  package static func range(
    app: App.Number, after: String, upto: String, frozenAt: Timestamp, limit: Int64
  ) -> Query<Int64> {
    Query(one: rangeStatement, app, after, upto, frozenAt, limit) { $0.int64() }
  }

  private static let groupsStatement = Statement(
    "audience-sizes-groups",
    """
    SELECT count(*) FROM (
      SELECT
      -- A user in two of the groups counts once.
      FROM (SELECT DISTINCT user_key FROM group_members WHERE app = $1 AND groupseq = ANY($2) AND joined_at <= $3) k
        -- Each member's devices by their key, whatever the plan believes of the tables: OFFSET keeps it from looking for
        -- each device's member instead.
        CROSS JOIN LATERAL (
          SELECT FROM devices d WHERE d.app = $1 AND d.user_key = k.user_key
            AND d.state = \(Devices.State.active.sql) AND d.bound_at <= $3
          OFFSET 0) d
      LIMIT $4) part
    """)

  /// Counts the active devices, bound by `frozenAt`, of users who had joined one of the groups by then. The devices of
  /// a user in several groups count once, those of members of subgroups do not count. Returns at most `limit`.
  package static func groups(app: App.Number, _ groups: [Int64], frozenAt: Timestamp, limit: Int64) -> Query<Int64> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    return Query(one: groupsStatement, app, column, frozenAt, limit) { $0.int64() }
  }

  /// How often a payload contains the variables that differ between recipients: the user's id and name.
  package struct Weights: Sendable {
    package let clientUID: Int
    package let clientName: Int

    package init(clientUID: Int, clientName: Int) {
      self.clientUID = clientUID
      self.clientName = clientName
    }
  }

  /// SQL for a sort key by which the recipient `k` with the largest payload comes first, if payloads contain the CUID
  /// `$1` times and the name `$2` times: the bytes of both as JSON strings with their quotes. A guest's CUID is `GUEST`.
  static let filledBytes = """
    $1 * octet_length(to_json(CASE WHEN k.user_key < 'u' THEN 'GUEST' ELSE substr(k.user_key, 2) END)::text)
      + $2 * octet_length(to_json(k.name)::text)
    """

  private static let limitStatement = Statement(
    "audience-sizes-limit", "SELECT set_config('statement_timeout', $1::text, true)")

  /// Limits the time of each further statement of the transaction; one that takes longer fails with `queryCanceled`.
  package static func limitSearch(milliseconds: Int) -> Query<Void> {
    Query(limitStatement, milliseconds) { _ in }
  }

  private static let largestOfRangeStatement = Statement(
    "audience-sizes-largest-of-range",
    """
    SELECT k.user_key, k.name FROM (
      SELECT d.user_key, coalesce(u.name, '') AS name
      FROM devices d LEFT JOIN users u ON u.app = d.app AND u.user_key = d.user_key
      WHERE d.app = $3 AND d.state = \(Devices.State.active.sql) AND d.user_key > $4 AND d.user_key <= $5
        AND (cardinality($6::text[]) = 0 OR d.locale = ANY($6))) k
    ORDER BY \(filledBytes) DESC LIMIT 1
    """)

  /// Returns the recipient with the largest payload among the users with active devices and user keys in (`after`,
  /// `upto`]; nil if there are none. `name` is empty if the user has none. Reads the whole range.
  /// - Parameter locales: considers only devices that have reported one of these locales; all devices if empty.
  package static func largest(
    app: App.Number, after: String, upto: String, locales: [String] = [], _ weights: Weights
  ) -> Query<(userKey: UserKey, name: String)?> {
    var parameters = self.parameters(weights, app)
    parameters.append(after)
    parameters.append(upto)
    parameters.append(texts(locales))
    return Query(largestOfRangeStatement, parameters) { $0.decodeFirst { ($0.userKey(), $0.text()) } }
  }

  private static let largestOfGroupsStatement = Statement(
    "audience-sizes-largest-of-groups",
    """
    SELECT k.user_key, k.name FROM (
      SELECT m.user_key, coalesce(u.name, '') AS name
      FROM group_members m LEFT JOIN users u ON u.app = m.app AND u.user_key = m.user_key
      WHERE m.app = $3 AND m.groupseq = ANY($4)
        AND (cardinality($5::text[]) = 0 OR EXISTS (
          SELECT FROM devices d
          WHERE d.app = m.app AND d.user_key = m.user_key AND d.state = \(Devices.State.active.sql)
            AND d.locale = ANY($5)))) k
    ORDER BY \(filledBytes) DESC LIMIT 1
    """)

  /// Returns the member of groups with the largest payload; nil if there is none. `name` is empty if the user has none.
  /// Reads all members, but not those of subgroups.
  /// - Parameter locales: considers only members with an active device that has reported one of these locales; all
  ///   members, even those without devices, if empty.
  package static func largest(
    app: App.Number, groups: [Int64], locales: [String] = [], _ weights: Weights
  ) -> Query<(userKey: UserKey, name: String)?> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    var parameters = self.parameters(weights, app)
    parameters.append(column)
    parameters.append(texts(locales))
    return Query(largestOfGroupsStatement, parameters) { $0.decodeFirst { ($0.userKey(), $0.text()) } }
  }

  static func texts(_ list: [String]) -> TextColumn {
    var column = TextColumn()
    for text in list { column.append(text) }
    return column
  }

  static func parameters(_ weights: Weights, _ app: App.Number) -> Parameters {
    return Parameters(Int64(weights.clientUID), Int64(weights.clientName), app)
  }
}
