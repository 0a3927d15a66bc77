internal import Postgres

/// Second factors of console accounts: encrypted secrets of authenticator apps, and hashed recovery codes.
package enum SecondFactors {
  private static let beginStatement = Statement(
    "second-factors-begin", "UPDATE accounts SET new_factor = $2 WHERE account = $1")

  /// Stores the encrypted secret of a factor that is being set up, replacing an earlier one that was not activated. The
  /// active factor remains in force.
  package static func begin(_ account: Int32, sealed: [UInt8]) -> Query<Void> {
    Query(beginStatement, account, sealed) { _ in }
  }

  private static let pendingStatement = Statement(
    "second-factors-pending", "SELECT new_factor FROM accounts WHERE account = $1")

  /// Returns the encrypted secret of the factor that is being set up; nil if none is, or if there is no such account.
  package static func pending(_ account: Int32) -> Query<[UInt8]?> {
    Query(first: pendingStatement, account) { $0.optionalBytes() }
  }

  private static let activateStatement = Statement(
    "second-factors-activate",
    """
    UPDATE accounts SET factor = new_factor, factor_step = $3, new_factor = NULL
    WHERE account = $1 AND new_factor = $2 RETURNING 1
    """)

  /// Makes the secret that is being set up the account's second factor, replacing an earlier factor. Returns false,
  /// without an effect, if `sealed` is no longer the secret that is being set up: it was replaced, activated or removed
  /// meanwhile.
  /// - Parameters:
  ///   - sealed: the encrypted secret, as `pending` returned it.
  ///   - step: time step of the code that proved the secret; `use` then rejects codes up to this step.
  package static func activate(_ account: Int32, sealed: [UInt8], step: Int64) -> Query<Bool> {
    Query(activateStatement, account, sealed, step) { $0.count == 1 }
  }

  private static let useStatement = Statement(
    "second-factors-use",
    "UPDATE accounts SET factor_step = $2 WHERE account = $1 AND factor IS NOT NULL AND factor_step < $2 RETURNING 1")

  /// Marks a time step and all earlier ones as used. Returns false, without an effect, if the step or a later one was
  /// used before, on any node, or if the account has no second factor.
  package static func use(_ account: Int32, step: Int64) -> Query<Bool> {
    Query(useStatement, account, step) { $0.count == 1 }
  }

  private static let removeStatement = Statement(
    "second-factors-remove",
    """
    WITH codes AS (DELETE FROM recovery_codes WHERE account = $1)
    UPDATE accounts SET factor = NULL, new_factor = NULL WHERE account = $1
    """)

  /// Removes an account's second factor, one that is being set up, and all recovery codes.
  package static func remove(_ account: Int32) -> Query<Void> {
    Query(removeStatement, account) { _ in }
  }

  // MARK: Recovery codes

  private static let replaceCodesStatement = Statement(
    "second-factors-replace-codes",
    """
    WITH old AS (DELETE FROM recovery_codes WHERE account = $1)
    INSERT INTO recovery_codes (account, sha256) SELECT $1, t.sha256 FROM unnest($2) AS t(sha256)
    """)

  /// Stores the hashes of an account's new recovery codes, replacing all earlier ones.
  package static func replaceCodes(_ account: Int32, sha256: [[UInt8]]) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(account)
    var column = BytesColumn()
    for hash in sha256 { column.append(hash) }
    parameters.append(column)
    return Query(replaceCodesStatement, parameters) { _ in }
  }

  private static let takeCodeStatement = Statement(
    "second-factors-take-code",
    """
    WITH taken AS (DELETE FROM recovery_codes WHERE account = $1 AND sha256 = $2 RETURNING 1)
    SELECT (SELECT count(*) FROM taken), (SELECT count(*) FROM recovery_codes WHERE account = $1)
    """)

  /// Uses up a recovery code. Returns the number of codes that the account has left; nil if the code is not one of the
  /// account's, or was used before.
  package static func takeCode(_ account: Int32, sha256: [UInt8]) -> Query<Int64?> {
    // The statement counts the codes as they were before the deletion.
    return Query(one: takeCodeStatement, account, sha256) { row in
      let (taken, before) = (row.int64(), row.int64())
      return taken == 1 ? before - 1 : nil
    }
  }

  private static let countCodesStatement = Statement(
    "second-factors-count-codes", "SELECT count(*) FROM recovery_codes WHERE account = $1")

  /// Returns the number of recovery codes that an account has left.
  package static func countCodes(_ account: Int32) -> Query<Int64> {
    Query(one: countCodesStatement, account) { $0.int64() }
  }
}
