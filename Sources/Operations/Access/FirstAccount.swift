package import Domain
package import Postgres
internal import Store

/// The first way in: the account that a new system opens for whoever installed it.
///
/// It is an account as any other; who has chosen a password there signs in with it, and an administrator may disable it.
extension ConsoleAccounts {
  static let firstLogin = "admin"

  /// A link for a system where nobody can sign in yet; nil when somebody can, or once could.
  package static func firstLink(on connection: Connection, now: Int64) throws(Problem) -> Link? {
    let accounts = try connection.answer(Accounts.list(of: nil, after: 0, limit: 2))
    if accounts.isEmpty { return try make(on: connection, now: now) }
    guard accounts.count == 1, accounts[0].login == firstLogin, accounts[0].password == nil,
      accounts[0].disabledAt == nil
    else { return nil }
    return try link(accounts[0].number, by: .commandLine, on: connection, now: now)
  }

  /// A link for the first account, whether it was used before or not: for the demonstration, which is nobody else's.
  package static func demonstrationLink(on connection: Connection, now: Int64) throws(Problem) -> Link? {
    guard let account = try connection.answer(Accounts.find(login: firstLogin)) else {
      return try make(on: connection, now: now)
    }
    return account.disabledAt == nil
      ? try link(account.number, by: .commandLine, on: connection, now: now) : nil
  }

  private static func make(on connection: Connection, now: Int64) throws(Problem) -> Link? {
    do throws(Problem) {
      return try create(
        firstLogin, name: "Administrator", role: .admin, appID: nil, by: .commandLine, on: connection, now: now)
    } catch {
      // Another node was quicker; it says its link.
      if error.code == .conflict { return nil }
      throw error
    }
  }
}
