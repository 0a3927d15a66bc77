internal import Domain
internal import Postgres
package import Time

/// Records who could have signed in to an account: its creator, and the people who received a sign-in link for it.
extension Accounts {
  private static let noteStatement = Statement(
    "accounts-note-holder",
    """
    INSERT INTO account_holders (account, holder, at, made)
    SELECT $1, h.holder, $4, $5 FROM (SELECT coalesce($2, (SELECT made_by FROM api_keys WHERE api_key = $3)) AS holder) h
    WHERE h.holder IS NOT NULL
    """)

  /// Records that a person could have signed in to the account. Has no effect if neither `asker` nor the creator of
  /// `apiKey` is known. Repeated calls add records.
  /// - Parameters:
  ///   - asker: the person; nil to record the creator of `apiKey`.
  ///   - made: true if they created the account, false if they received a sign-in link for it.
  package static func note(
    _ account: Int32, heldBy asker: Principal?, apiKey: Int32?, made: Bool, at now: Timestamp
  ) -> Query<Void> {
    Query(noteStatement, account, asker?.stored, apiKey, now, made) { _ in }
  }

  private static let heldStatement = Statement(
    "accounts-held",
    """
    WITH RECURSIVE reached (asker) AS (
      SELECT ('account ' || $1::integer) COLLATE "C"
      UNION
      -- Whoever could sign in to it, and whoever could sign in to their account.
      SELECT h.holder FROM reached r JOIN account_holders h
        ON h.account = CASE WHEN r.asker LIKE 'account %' THEN substr(r.asker, 9)::integer END
      WHERE h.at > CASE WHEN h.made THEN $3 ELSE $4 END)
    SELECT EXISTS (SELECT FROM reached WHERE asker = $2)
    """)

  /// Returns true if `asker` could have signed in to the account, directly or through other accounts; always true if
  /// `asker` is the account itself.
  /// - Parameters:
  ///   - madeSince: an account's creator counts only if the account was created after this time.
  ///   - linkedSince: a sign-in link counts only if it was issued after this time.
  package static func wasHeld(
    by asker: Principal, _ account: Int32, madeSince: Timestamp, linkedSince: Timestamp
  ) -> Query<Bool> {
    Query(one: heldStatement, account, asker.stored, madeSince, linkedSince) {
      $0.bool()
    }
  }
}
