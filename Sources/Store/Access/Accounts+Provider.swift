package import Domain
internal import Postgres

/// Accounts that sign in through an identity provider. At sign-in, they are found by the provider's id for the person,
/// never by login.
extension Accounts {
  private static let findSubjectStatement = Statement(
    "accounts-find-subject", "SELECT account FROM accounts WHERE subject = $1")

  /// Returns the number of the account with this subject; nil if there is none.
  /// - Parameter subject: hash of the issuer and the subject.
  package static func find(subject: [UInt8]) -> Query<Int32?> {
    Query(first: findSubjectStatement, subject) { $0.int32() }
  }

  private static let createForSubjectStatement = Statement(
    "accounts-create-for-subject",
    "INSERT INTO accounts (login, name, role, app, subject) VALUES ($1, $2, $3, $4, $5) RETURNING account")

  /// Creates an account that signs in through the provider, and returns its number. Fails with
  /// `accounts_login_is_unique` if the login is taken, and with `accounts_subject_is_unique` if the subject has an
  /// account.
  /// - Parameter subject: hash of the issuer and the subject.
  package static func create(
    login: String, name: String, role: String, app: App.Number?, subject: [UInt8]
  ) -> Query<Int32> {
    Query(one: createForSubjectStatement, login, name, role, app, subject) { $0.int32() }
  }

  private static let saveFromProviderStatement = Statement(
    "accounts-save-from-provider", "UPDATE accounts SET name = $2, role = $3, app = $4 WHERE account = $1")

  /// Sets an account's name, role and app to what the provider reports about the person now. Has no effect if there is
  /// no such account.
  package static func save(_ number: Int32, name: String, role: String, app: App.Number?) -> Query<Void> {
    Query(saveFromProviderStatement, number, name, role, app) { _ in }
  }
}
