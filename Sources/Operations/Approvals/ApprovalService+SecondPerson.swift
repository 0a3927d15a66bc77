internal import Domain
internal import Postgres
internal import Store
internal import Time

/// The rules for who may be the second person for a message.
///
/// Nobody may approve their own request through any interface. At the command line, each Unix user is one person, and
/// the same person as the account with that name (`isSameName`). An approving account does not count if it was created
/// after the request, or if the requester could have signed in to it: as its creator, with a sign-in link issued within
/// 90 days before the request, or through other such accounts. Nor may the approver have created the requesting
/// account, or issued a link for it, within seven days before the request. Root can become any Unix user and can write
/// to the database, so these rules do not restrict root.
extension ApprovalService {
  static func checkSecondPerson(
    _ caller: Caller, _ record: Approvals.Record, _ connection: Connection
  ) throws(Problem) {
    // An API key is not a person.
    guard let approver = caller.asker else {
      throw Problem(.forbidden, "A second person is asked: sign in with an account, or use `upmc approval`.")
    }
    let asker = record.requester.asker
    guard approver != asker, !isSameName(approver, caller.name, asker, record.requester.name) else {
      throw Problem(.forbidden, "Whoever asked for a message cannot approve it: it needs a second person.")
    }
    if case .account(let number) = approver {
      guard let account = try connection.answer(Accounts.find(number)), account.createdAt < record.requestedAt else {
        throw Problem(
          .forbidden,
          "The account \(caller.name) is younger than the request. Somebody whose account was there before must approve it."
        )
      }
      let linked = record.requestedAt - .seconds(Operations.Limits.linkedByAskerSeconds)
      guard try !connection.answer(Accounts.wasHeld(by: asker, number, madeSince: .zero, linkedSince: linked)) else {
        throw Problem(
          .forbidden,
          "The account \(caller.name) was created, or given a sign-in link, by \(record.requester.name), who asked. Somebody else must approve it."
        )
      }
    }
    if case .account(let number) = asker {
      let since = record.requestedAt - .seconds(Operations.Limits.heldByApproverSeconds)
      guard try !connection.answer(Accounts.wasHeld(by: approver, number, madeSince: since, linkedSince: since))
      else {
        throw Problem(
          .forbidden,
          "The account \(record.requester.name), which asked, was created, or given a sign-in link, by \(caller.name) a few days before. Somebody else must approve it."
        )
      }
    }
  }

  /// Returns whether an account and a Unix user have the same name, as `kim@example.com` and `kim` do. False for two
  /// accounts or two Unix users.
  private static func isSameName(_ one: Principal, _ oneName: String, _ other: Principal, _ otherName: String) -> Bool {
    switch (one, other) {
    case (.unixUser(let name), .account): owns(name, otherName)
    case (.account, .unixUser(let name)): owns(name, oneName)
    case (.account, .account), (.unixUser, .unixUser): false
    }
  }

  private static func owns(_ unixUser: String, _ login: String) -> Bool {
    login.lowercased().split(separator: "@", maxSplits: 1).first.map(String.init) == unixUser.lowercased()
  }
}

extension Operations.Limits {
  /// Time, in seconds, before a request, within which a sign-in link makes its creator count as able to sign in to the
  /// account.
  static let linkedByAskerSeconds: Int64 = 90 * 86_400
  /// Time, in seconds, before a request, within which the requesting account counts as the approver's if the approver
  /// created it or issued a sign-in link for it. It is shorter than `linkedByAskerSeconds`, because administrators also
  /// create the accounts of people whose messages they approve.
  static let heldByApproverSeconds: Int64 = 7 * 86_400
}
