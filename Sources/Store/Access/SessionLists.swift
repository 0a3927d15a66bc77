internal import Postgres
package import Time

/// Lists and ends the console sessions of one account, for its owner.
package enum SessionLists {
  package struct Record: Sendable {
    package let session: Int64
    package let createdAt: Timestamp
    package let usedAt: Timestamp
    package let endsAt: Timestamp
    package let origin: String
    package let method: String
    package let isCurrent: Bool
  }

  private static let listStatement = Statement(
    "session-lists-list",
    """
    SELECT session, created_at, used_at, least(idle_until, ends_at), origin, method, sha256 = $2 FROM sessions
    WHERE account = $1 AND idle_until > $3 AND ends_at > $3 AND session > $4 ORDER BY session LIMIT $5
    """)

  /// Returns at most `limit` sessions of an account that have not expired, oldest first.
  /// - Parameters:
  ///   - current: hash of the token of the caller's own session, whose `isCurrent` is true.
  ///   - session: only sessions with higher numbers are returned; 0 for the first page.
  package static func list(
    of account: Int32, current: [UInt8], now: Timestamp, after session: Int64, limit: Int
  ) -> Query<[Record]> {
    Query(each: listStatement, account, current, now, session, limit) { row in
      Record(
        session: row.int64(), createdAt: row.timestamp(),
        usedAt: row.timestamp(), endsAt: row.timestamp(),
        origin: row.text(), method: row.text(), isCurrent: row.bool())
    }
  }

  private static let endStatement = Statement(
    "session-lists-end", "DELETE FROM sessions WHERE account = $1 AND session = $2 RETURNING origin")

  /// Ends a session of the account. Returns the client address from which the session was opened; nil if the account
  /// has no such session.
  package static func end(of account: Int32, _ session: Int64) -> Query<String?> {
    Query(first: endStatement, account, session) { $0.text() }
  }

  private static let endOthersStatement = Statement(
    "session-lists-end-others",
    """
    WITH links AS (DELETE FROM sign_in_links WHERE account = $1),
      ended AS (DELETE FROM sessions WHERE account = $1 AND sha256 <> $2 RETURNING 1)
    SELECT count(*) FROM ended
    """)

  /// Ends all sessions of the account except the one whose token has this hash, and deletes the account's unused
  /// sign-in links. Returns the number of ended sessions, including any that had expired but were not deleted yet.
  package static func endOthers(of account: Int32, than sha256: [UInt8]) -> Query<Int64> {
    Query(one: endOthersStatement, account, sha256) { $0.int64() }
  }
}
