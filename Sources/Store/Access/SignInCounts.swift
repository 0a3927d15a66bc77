internal import Postgres
package import Time

/// Failed sign-in attempts per hashed subject (a login, an address, or both), counted over all nodes, and the hashed
/// networks (places) from which accounts have signed in before. Decision 022.
package enum SignInCounts {
  private static let failStatement = Statement(
    "sign-in-counts-fail",
    """
    INSERT INTO sign_in_failures (subject, failures, until) VALUES ($1, 1, $3)
    ON CONFLICT (subject) DO UPDATE SET
      failures = CASE WHEN sign_in_failures.until > $2 THEN sign_in_failures.failures + 1 ELSE 1 END,
      until = CASE WHEN sign_in_failures.until > $2 THEN sign_in_failures.until ELSE $3 END,
      next_at = CASE WHEN sign_in_failures.until > $2 THEN sign_in_failures.next_at END
    RETURNING failures
    """)

  /// Counts a failed attempt of a subject and returns the number of failures so far. Call it before checking the
  /// password, so that concurrent attempts are counted too. The count starts over at 1 when it has expired.
  /// - Parameter until: when a count that starts now expires; a running count keeps its own expiry.
  package static func fail(_ subject: [UInt8], now: Timestamp, until: Timestamp) -> Query<Int32> {
    Query(one: failStatement, subject, now, until) { $0.int32() }
  }

  private static let takeTurnStatement = Statement(
    "sign-in-counts-take-turn",
    """
    UPDATE sign_in_failures SET next_at = $3 WHERE subject = $1 AND (next_at IS NULL OR next_at <= $2) RETURNING 1
    """)

  /// Uses up the single attempt that a subject is allowed until `next`. Returns false if an earlier attempt blocks the
  /// subject beyond `now`, or if no failure of the subject is counted.
  package static func takeTurn(_ subject: [UInt8], now: Timestamp, next: Timestamp) -> Query<Bool> {
    Query(takeTurnStatement, subject, now, next) { $0.count == 1 }
  }

  private static let tidyStatement = Statement(
    "sign-in-counts-tidy",
    """
    DELETE FROM sign_in_failures WHERE subject IN (
      -- Who is being counted at this moment is not waited for.
      SELECT subject FROM sign_in_failures
      WHERE until <= $1
        -- So many are kept and no more: those that end first make room, and count anew should they fail again.
        OR subject IN (SELECT subject FROM sign_in_failures ORDER BY until DESC OFFSET $2)
      FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes expired counts and, above `keeping` rows, those that expire first. Skips rows that are locked by another
  /// transaction. A separate statement from `fail`, so that two nodes that count failures of the same subjects do not
  /// wait for each other.
  package static func tidy(now: Timestamp, keeping: Int64) -> Query<Void> {
    Query(tidyStatement, now, keeping) { _ in }
  }

  private static let forgiveStatement = Statement(
    "sign-in-counts-forgive", "DELETE FROM sign_in_failures WHERE subject = ANY($1)")

  /// Deletes the counts of subjects, and their blocks by `takeTurn`, after a successful sign-in.
  package static func forgive(_ subjects: [[UInt8]]) -> Query<Void> {
    var column = BytesColumn()
    for subject in subjects { column.append(subject) }
    return Query(forgiveStatement, column) { _ in }
  }

  private static let decrementStatement = Statement(
    "sign-in-counts-take-back",
    "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0")

  /// Decrements a subject's failures, because an attempt has turned out not to have failed. Has no effect if the count
  /// is 0 or missing.
  package static func decrement(_ subject: [UInt8]) -> Query<Void> {
    Query(decrementStatement, subject) { _ in }
  }

  // MARK: Known places

  private static let knowsStatement = Statement(
    "sign-in-places-knows",
    """
    SELECT 1 FROM accounts c JOIN sign_in_places p ON p.account = c.account
    WHERE c.login = $1 AND p.place = $2 AND p.seen_at > $3
    """)

  /// Returns true if the account with this login has signed in from this place after `since`; false also if there is no
  /// such account.
  package static func knows(_ login: String, _ place: [UInt8], since: Timestamp) -> Query<Bool> {
    Query(knowsStatement, login, place, since) { $0.count == 1 }
  }

  private static let noteStatement = Statement(
    "sign-in-places-note",
    """
    WITH old AS (
      DELETE FROM sign_in_places WHERE account = $1 AND place <> $2 AND place IN (
        SELECT place FROM sign_in_places WHERE account = $1 AND place <> $2 ORDER BY seen_at DESC OFFSET $4 - 1))
    INSERT INTO sign_in_places (account, place, seen_at) VALUES ($1, $2, $3)
    ON CONFLICT (account, place) DO UPDATE SET seen_at = greatest(sign_in_places.seen_at, excluded.seen_at)
    """)

  /// Records that an account has signed in from a place. Deletes the account's places with the oldest sign-ins, so that
  /// at most `keeping` remain.
  package static func note(_ account: Int32, _ place: [UInt8], now: Timestamp, keeping: Int64) -> Query<Void> {
    Query(noteStatement, account, place, now, keeping) { _ in }
  }
}
