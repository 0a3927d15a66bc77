package import Domain
package import Postgres
internal import Store
package import Time

/// The initial account, with which the installer signs in to a new system.
///
/// It is an ordinary account: after it has got a password, that password signs in, and an administrator can disable it.
extension ConsoleAccounts {
  static let firstLogin = "admin"

  /// Returns a sign-in link for the first account, and creates the account if there is none. Invalidates the account's
  /// earlier link.
  /// - Returns: nil if there are other accounts, the first one has a password or is disabled, or another node creates
  ///   it at the same time.
  package static func firstLink(on connection: Connection, now: Timestamp) throws(Problem) -> Link? {
    let accounts = try connection.answer(Accounts.list(of: nil, after: 0, limit: 2))
    if accounts.isEmpty { return try make(on: connection, now: now) }
    guard accounts.count == 1, accounts[0].login == firstLogin, accounts[0].password == nil,
      accounts[0].disabledAt == nil
    else { return nil }
    return try link(accounts[0].number, by: .commandLine, on: connection, now: now)
  }

  /// Returns a sign-in link for the first account, even if it has a password, and creates the account if there is none.
  /// Only for the demonstration, which has no other users.
  /// - Returns: nil if the account is disabled, or another node creates it at the same time.
  package static func demonstrationLink(on connection: Connection, now: Timestamp) throws(Problem) -> Link? {
    guard let account = try connection.answer(Accounts.find(login: firstLogin)) else {
      return try make(on: connection, now: now)
    }
    return account.disabledAt == nil
      ? try link(account.number, by: .commandLine, on: connection, now: now) : nil
  }

  private static func make(on connection: Connection, now: Timestamp) throws(Problem) -> Link? {
    do throws(Problem) {
      return try create(
        firstLogin, name: "Administrator", role: .admin, appID: nil, by: .commandLine, on: connection, now: now)
    } catch {
      // Another node has created the account first, and shows its own link.
      if error.code == .conflict { return nil }
      throw error
    }
  }
}
