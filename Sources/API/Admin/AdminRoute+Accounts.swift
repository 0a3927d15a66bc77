internal import Domain
internal import HTTPServer
internal import Operations

/// Signing in, and the accounts of people who do.
extension AdminRoute {
  static let accounts: [AdminRoute] = [
    AdminRoute(.post, "/v1/admin/session", nil) { call throws(Problem) in try call.signIn() },
    AdminRoute(.get, "/v1/admin/session", .viewMessages) { call throws(Problem) in try call.showSession() },
    AdminRoute(.delete, "/v1/admin/session", .viewMessages) { call throws(Problem) in try call.signOut() },
    AdminRoute(.put, "/v1/admin/session/password", .viewMessages) { call throws(Problem) in
      try call.choosePassword()
    },
    AdminRoute(.get, "/v1/admin/accounts", .manageAccounts, query: page) { call throws(Problem) in try call.accounts()
    },
    AdminRoute(.post, "/v1/admin/accounts", .manageAccounts) { call throws(Problem) in try call.createAccount() },
    AdminRoute(.patch, "/v1/admin/accounts/{account}", .manageAccounts) { call throws(Problem) in
      try call.changeAccount()
    },
    AdminRoute(.post, "/v1/admin/accounts/{account}/link", .manageAccounts) { call throws(Problem) in
      try call.linkAccount()
    },
  ]
}
