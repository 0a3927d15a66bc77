internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// Console accounts.
extension AdminCall {
  /// `GET /v1/admin/accounts?limit=&cursor=`.
  func accounts() throws(Problem) -> Response {
    .json(.ok, try ConsoleAccounts.list(try page(), by: caller, on: connection))
  }

  /// `POST /v1/admin/accounts`: `{"login","name","role","appId"?}`; answers a link that opens it once.
  func createAccount() throws(Problem) -> Response {
    var (login, name, appID): (String?, String?, String?)
    var role: Role?
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "login": login = try reader.readString()
      case "name": name = try reader.readString()
      case "role": role = try reader.readRole()
      case "appId": appID = try reader.readNull() ? nil : try reader.readText(upTo: Domain.Limits.appIDBytes)
      default: throw .unknownField
      }
    }
    return .json(
      .created,
      try ConsoleAccounts.create(
        try Problem.need(login, "login"), name: try Problem.need(name, "name"), role: try Problem.need(role, "role"),
        appID: appID, by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  /// `PATCH /v1/admin/accounts/{account}`: `{"name"?,"role"?,"disabled"?}`.
  func changeAccount() throws(Problem) -> Response {
    var change = ConsoleAccounts.Change()
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "name": change.name = try reader.readString()
      case "role": change.role = try reader.readRole()
      case "disabled": change.isDisabled = try reader.readBool()
      default: throw .unknownField
      }
    }
    return .json(.ok, try ConsoleAccounts.change(try account(), change, by: caller, on: connection))
  }

  /// `POST /v1/admin/accounts/{account}/link`: another link that opens it once.
  func linkAccount() throws(Problem) -> Response {
    .json(
      .created,
      try ConsoleAccounts.link(try account(), by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  private func account() throws(Problem) -> Int32 {
    guard let number = Int32(parameters["account"]) else {
      throw Problem(.notFound, "An account's number is a whole number, as lists show it.")
    }
    return number
  }
}
