package import Domain
internal import Postgres
package import Time

/// Console sessions, shared by all nodes. Only hashes of the session tokens are stored. Decision 021.
package enum Sessions {
  package struct Account: Sendable {
    package let number: Int32
    package let login: String
    package let name: String
    package let role: String
    package let app: App.Number?
    package let startedAt: Timestamp
    package let endsAt: Timestamp
    /// How the person signed in: `password`, `link` or `openid`.
    package let method: String
    package let hasFactor: Bool
  }

  private static let createStatement = Statement(
    "sessions-create",
    """
    WITH old AS (DELETE FROM sessions WHERE ends_at < $3 OR idle_until < $3)
    INSERT INTO sessions (sha256, account, created_at, used_at, idle_until, ends_at, origin, method)
    VALUES ($1, $2, $3, $3, $4, $5, $6, $7)
    """)

  /// Creates a session, and deletes the expired sessions of all accounts.
  /// - Parameter method: how the person signed in: `password`, `link` or `openid`.
  package static func create(
    sha256: [UInt8], account: Int32, now: Timestamp, idleUntil: Timestamp, endsAt: Timestamp, origin: String,
    method: String
  ) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(sha256)
    parameters.append(account)
    for time in [now, idleUntil, endsAt] { parameters.append(time) }
    parameters.append(origin)
    parameters.append(method)
    return Query(createStatement, parameters) { _ in }
  }

  private static let useStatement = Statement(
    "sessions-use",
    """
    WITH used AS (
      -- Moved on at most once a minute: not every look at a page is worth a write.
      UPDATE sessions SET idle_until = least($3, ends_at), used_at = greatest(used_at, $2)
      WHERE sha256 = $1 AND idle_until > $2 AND idle_until < ends_at AND idle_until < $3 - interval '1 minute')
    SELECT c.account, c.login, c.name, c.role, c.app, s.created_at, s.ends_at, s.method, c.factor IS NOT NULL
    FROM sessions s JOIN accounts c ON c.account = s.account
    WHERE s.sha256 = $1 AND s.idle_until > $2 AND s.ends_at > $2 AND c.disabled_at IS NULL
    """)

  /// Returns the account of a session; nil if the session does not exist or has expired, or if the account is disabled.
  /// Moves the idle timeout to `idleUntil`, but not beyond the session's end, and records the time of use; does neither
  /// if `idleUntil` is at most a minute after the present timeout, or if the timeout has reached the session's end.
  package static func use(sha256: [UInt8], now: Timestamp, idleUntil: Timestamp) -> Query<Account?> {
    Query(first: useStatement, sha256, now, idleUntil) { row in
      Account(
        number: row.int32(), login: row.text(), name: row.text(), role: row.text(),
        app: row.optionalInt32(), startedAt: row.timestamp(), endsAt: row.timestamp(),
        method: row.text(), hasFactor: row.bool())
    }
  }

  private static let linkOpenedAtStatement = Statement(
    "sessions-link-opened-at", "SELECT created_at FROM sessions WHERE sha256 = $1 AND method = 'link'")

  /// Returns when a session was started with a sign-in link; nil if it was started in another way, or has ended.
  package static func linkOpenedAt(sha256: [UInt8]) -> Query<Timestamp?> {
    Query(first: linkOpenedAtStatement, sha256) { $0.timestamp() }
  }

  private static let endStatement = Statement("sessions-end", "DELETE FROM sessions WHERE sha256 = $1")

  package static func end(sha256: [UInt8]) -> Query<Void> {
    Query(endStatement, sha256) { _ in }
  }

  private static let endAllStatement = Statement(
    "sessions-end-all",
    """
    WITH links AS (DELETE FROM sign_in_links WHERE account = $1)
    DELETE FROM sessions WHERE account = $1
    """)

  /// Ends all sessions of an account and deletes its unused sign-in links.
  package static func endAll(of account: Int32) -> Query<Void> {
    Query(endAllStatement, account) { _ in }
  }

  // MARK: Links

  private static let addLinkStatement = Statement(
    "sessions-add-link",
    """
    WITH former AS (DELETE FROM sign_in_links WHERE account = $2)
    INSERT INTO sign_in_links (sha256, account, ends_at) VALUES ($1, $2, $3)
    """)

  /// Adds a sign-in link for an account and deletes the account's earlier links.
  package static func addLink(sha256: [UInt8], account: Int32, endsAt: Timestamp) -> Query<Void> {
    Query(addLinkStatement, sha256, account, endsAt) { _ in }
  }

  private static let loginOfLinkStatement = Statement(
    "sessions-login-of-link",
    """
    SELECT c.login FROM sign_in_links l JOIN accounts c ON c.account = l.account
    WHERE l.sha256 = $1 AND l.ends_at > $2 AND c.disabled_at IS NULL
    """)

  /// Returns the login of the account that a sign-in link belongs to, without using the link up. Returns nil if the
  /// link does not exist or has expired, or if the account is disabled.
  package static func login(ofLink sha256: [UInt8], now: Timestamp) -> Query<String?> {
    Query(first: loginOfLinkStatement, sha256, now) { $0.text() }
  }

  private static let takeLinkStatement = Statement(
    "sessions-take-link",
    """
    DELETE FROM sign_in_links l USING accounts c
    WHERE l.sha256 = $1 AND c.account = l.account
    RETURNING c.login, l.ends_at > $2 AND c.disabled_at IS NULL
    """)

  /// Deletes a sign-in link and returns the login of its account. Returns nil if the link does not exist (for example
  /// because it was used before), or if it has expired or the account is disabled; it is deleted even then.
  package static func takeLink(sha256: [UInt8], now: Timestamp) -> Query<String?> {
    Query(first: takeLinkStatement, sha256, now) { row in
      let login = row.text()
      return row.bool() ? login : nil
    }
  }
}
