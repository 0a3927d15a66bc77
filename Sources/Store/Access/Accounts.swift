package import Domain
internal import Postgres
package import Time

/// Accounts of people who sign in to the console, with a password or through an identity provider.
package enum Accounts {
  package struct Record: Sendable {
    package let number: Int32
    package let login: String
    package let name: String
    package let role: String
    package let app: App.Number?
    package let appID: String?
    package let password: [UInt8]?
    package let salt: [UInt8]?
    package let createdAt: Timestamp
    package let disabledAt: Timestamp?
    /// The secret of the authenticator app, encrypted; nil if the account has no second factor.
    package let factor: [UInt8]?
    /// True if the account signs in through the identity provider; it then has no password.
    package let isByProvider: Bool
  }

  private static let columnList = """
    c.account, c.login, c.name, c.role, c.app, a.app_id, c.password, c.salt, c.created_at, c.disabled_at,
    c.factor, c.subject IS NOT NULL
    """
  private static let tables = "accounts c LEFT JOIN apps a ON a.app = c.app"

  private static let findStatement = Statement(
    "accounts-find", "SELECT \(columnList) FROM \(tables) WHERE c.login = $1")

  package static func find(login: String) -> Query<Record?> {
    Query(findStatement, login) { records($0).first }
  }

  private static let findByNumberStatement = Statement(
    "accounts-find-number", "SELECT \(columnList) FROM \(tables) WHERE c.account = $1")

  package static func find(_ number: Int32) -> Query<Record?> {
    Query(findByNumberStatement, number) { records($0).first }
  }

  private static let lockStatement = Statement(
    "accounts-lock", "SELECT \(columnList) FROM \(tables) WHERE c.account = $1 FOR UPDATE OF c")

  /// Locks an account's row until the transaction ends, and returns the account; nil if there is none.
  package static func lock(_ number: Int32) -> Query<Record?> {
    Query(lockStatement, number) { records($0).first }
  }

  private static let listStatement = Statement(
    "accounts-list",
    """
    SELECT \(columnList) FROM \(tables)
    WHERE ($1 IS NULL OR c.app = $1) AND c.account > $2 ORDER BY c.account LIMIT $3
    """)

  package static func list(of app: App.Number?, after number: Int32, limit: Int) -> Query<[Record]> {
    Query(listStatement, app, number, limit, read: records)
  }

  private static let createStatement = Statement(
    "accounts-create", "INSERT INTO accounts (login, name, role, app) VALUES ($1, $2, $3, $4) RETURNING account")

  /// Creates an account without a password and returns its number. Fails with `accounts_login_is_unique` if the login
  /// is taken.
  package static func create(login: String, name: String, role: String, app: App.Number?) -> Query<Int32> {
    Query(one: createStatement, login, name, role, app) { $0.int32() }
  }

  private static let saveStatement = Statement(
    "accounts-save",
    """
    UPDATE accounts SET name = $2, role = $3, disabled_at = CASE WHEN $4 THEN coalesce(disabled_at, now()) END
    WHERE account = $1
    """)

  package static func save(_ number: Int32, name: String, role: String, isDisabled: Bool) -> Query<Void> {
    Query(saveStatement, number, name, role, isDisabled) { _ in }
  }

  private static let setPasswordStatement = Statement(
    "accounts-set-password", "UPDATE accounts SET password = $2, salt = $3 WHERE account = $1")

  package static func setPassword(_ number: Int32, _ password: [UInt8], salt: [UInt8]) -> Query<Void> {
    Query(setPasswordStatement, number, password, salt) { _ in }
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode { row in
      Record(
        number: row.int32(), login: row.text(), name: row.text(), role: row.text(),
        app: row.optionalInt32(), appID: row.optionalText(),
        password: row.optionalBytes(), salt: row.optionalBytes(),
        createdAt: row.timestamp(),
        disabledAt: row.optionalTimestamp(), factor: row.optionalBytes(),
        isByProvider: row.bool())
    }
  }
}
