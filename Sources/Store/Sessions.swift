package import Domain
internal import Postgres

/// Who is signed in to the console, on whichever node. Only hashes of what browsers hold are stored.
package enum Sessions {
  package struct Account: Sendable {
    package let number: Int32
    package let login: String
    package let name: String
    package let role: String
    package let app: App.Number?
    package let endsAt: Int64
  }

  private static let createStatement = Statement(
    "sessions-create",
    """
    WITH old AS (DELETE FROM sessions WHERE ends_at < $3 OR idle_until < $3)
    INSERT INTO sessions (sha256, account, created_at, idle_until, ends_at, origin, by_link)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    """)

  /// Those that are over go at the same time. Times in microseconds since 1970.
  package static func create(
    sha256: [UInt8], account: Int32, now: Int64, idleUntil: Int64, endsAt: Int64, origin: String, byLink: Bool
  ) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    parameters.append(account)
    for time in [now, idleUntil, endsAt] { parameters.append(timestampMicroseconds: time) }
    parameters.append(text: origin)
    parameters.append(byLink)
    return Query(createStatement, parameters) { _ in }
  }

  private static let useStatement = Statement(
    "sessions-use",
    """
    WITH used AS (
      -- Moved on at most once a minute: not every look at a page is worth a write.
      UPDATE sessions SET idle_until = least($3, ends_at)
      WHERE sha256 = $1 AND idle_until > $2 AND ends_at > $2 AND idle_until < $3 - interval '1 minute')
    SELECT c.account, c.login, c.name, c.role, c.app, s.ends_at
    FROM sessions s JOIN accounts c ON c.account = s.account
    WHERE s.sha256 = $1 AND s.idle_until > $2 AND s.ends_at > $2 AND c.disabled_at IS NULL
    """)

  /// Whose session it is, if it is not over; it stays open for longer.
  package static func use(sha256: [UInt8], now: Int64, idleUntil: Int64) -> Query<Account?> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    parameters.append(timestampMicroseconds: now)
    parameters.append(timestampMicroseconds: idleUntil)
    return Query(useStatement, parameters) { rows in
      guard rows.count == 1 else { return nil }
      return Account(
        number: rows.int32(0, 0), login: rows.text(0, 1), name: rows.text(0, 2), role: rows.text(0, 3),
        app: rows.isNull(0, 4) ? nil : rows.int32(0, 4), endsAt: rows.timestampMicroseconds(0, 5))
    }
  }

  private static let isByLinkStatement = Statement(
    "sessions-is-by-link", "SELECT by_link FROM sessions WHERE sha256 = $1")

  package static func isByLink(sha256: [UInt8]) -> Query<Bool> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    return Query(isByLinkStatement, parameters) { $0.count == 1 && $0.bool(0, 0) }
  }

  private static let endStatement = Statement("sessions-end", "DELETE FROM sessions WHERE sha256 = $1")

  package static func end(sha256: [UInt8]) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    return Query(endStatement, parameters) { _ in }
  }

  private static let endAllStatement = Statement(
    "sessions-end-all",
    """
    WITH links AS (DELETE FROM sign_in_links WHERE account = $1)
    DELETE FROM sessions WHERE account = $1
    """)

  /// Signs an account out everywhere, its unused links too.
  package static func endAll(of account: Int32) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(account)
    return Query(endAllStatement, parameters) { _ in }
  }

  // MARK: Links

  private static let addLinkStatement = Statement(
    "sessions-add-link", "INSERT INTO sign_in_links (sha256, account, ends_at) VALUES ($1, $2, $3)")

  package static func addLink(sha256: [UInt8], account: Int32, endsAt: Int64) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    parameters.append(account)
    parameters.append(timestampMicroseconds: endsAt)
    return Query(addLinkStatement, parameters) { _ in }
  }

  private static let takeLinkStatement = Statement(
    "sessions-take-link",
    """
    DELETE FROM sign_in_links l USING accounts c
    WHERE l.sha256 = $1 AND c.account = l.account
    RETURNING c.login, l.ends_at > $2 AND c.disabled_at IS NULL
    """)

  /// Uses a link up. Answers whose it is; nil when it was used before, is over, or never was.
  package static func takeLink(sha256: [UInt8], now: Int64) -> Query<String?> {
    var parameters = Parameters()
    parameters.append(bytes: sha256)
    parameters.append(timestampMicroseconds: now)
    return Query(takeLinkStatement, parameters) { $0.count == 1 && $0.bool(0, 1) ? $0.text(0, 0) : nil }
  }

  // MARK: Failures

  private static let failStatement = Statement(
    "sessions-fail",
    """
    INSERT INTO sign_in_failures (subject, failures, until) VALUES ($1, 1, $3)
    ON CONFLICT (subject) DO UPDATE SET
      failures = CASE WHEN sign_in_failures.until > $2 THEN sign_in_failures.failures + 1 ELSE 1 END,
      until = CASE WHEN sign_in_failures.until > $2 THEN sign_in_failures.until ELSE $3 END
    RETURNING failures
    """)

  /// Counts a failure of a hashed login or address, before the password is looked at, so that attempts at the same moment
  /// count too. Answers the count; 1: the row is new. Times in microseconds since 1970.
  package static func fail(_ subject: [UInt8], now: Int64, until: Int64) -> Query<Int32> {
    var parameters = Parameters()
    parameters.append(bytes: subject)
    parameters.append(timestampMicroseconds: now)
    parameters.append(timestampMicroseconds: until)
    return Query(failStatement, parameters) { $0.int32(0, 0) }
  }

  private static let tidyFailuresStatement = Statement(
    "sessions-tidy-failures",
    """
    DELETE FROM sign_in_failures WHERE subject IN (
      -- Who is being counted at this moment is not waited for.
      SELECT subject FROM sign_in_failures
      WHERE until <= $1
        -- So many are kept and no more: those that end first make room, and count anew should they fail again.
        OR subject IN (SELECT subject FROM sign_in_failures ORDER BY until DESC OFFSET $2)
      FOR UPDATE SKIP LOCKED)
    """)

  /// Forgets failures that are over, and those of so many that they are more than `keeping`. A statement of its own: two
  /// nodes that count each other's subjects must not wait for each other.
  package static func tidyFailures(now: Int64, keeping: Int64) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(timestampMicroseconds: now)
    parameters.append(keeping)
    return Query(tidyFailuresStatement, parameters) { _ in }
  }

  private static let forgiveStatement = Statement(
    "sessions-forgive", "DELETE FROM sign_in_failures WHERE subject = ANY($1) OR until < $2")

  /// A success forgets the failures of its login; what is over is forgotten too.
  package static func forgive(_ subjects: [[UInt8]], now: Int64) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(bytes: column(subjects))
    parameters.append(timestampMicroseconds: now)
    return Query(forgiveStatement, parameters) { _ in }
  }

  private static func column(_ subjects: [[UInt8]]) -> BytesColumn {
    var column = BytesColumn()
    for subject in subjects { column.append(subject) }
    return column
  }
}
