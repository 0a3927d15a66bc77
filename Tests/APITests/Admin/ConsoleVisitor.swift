import Domain
import HTTPClient
import Operations
import Postgres
import Store
import Testing
import Time

@testable import API

/// Somebody before the console: a browser's cookie, and the token that its page knows.
struct ConsoleVisitor {
  let world: AdminWorld
  var cookie: String
  var csrf: String

  /// Signs in. - Parameter client: the address that the proxy names.
  static func post(
    _ body: String, to path: String = "/v1/admin/session", cookie: String? = nil, from client: String? = nil,
    _ world: AdminWorld
  ) throws -> HTTPResponse {
    var headers: [(name: String, value: String)] = []
    if let cookie { headers.append(("Cookie", cookie)) }
    if let client { headers.append(("X-Forwarded-For", client)) }
    return try world.call("POST", path, headers: headers, body)
  }

  init(_ response: HTTPResponse, _ world: AdminWorld) throws {
    try #require(response.status == 201, "\(response.text)")
    self.world = world
    cookie = try Self.cookie(response)
    csrf = try #require(response.values(of: "csrfToken").first)
  }

  static func cookie(_ response: HTTPResponse) throws -> String {
    String(try #require(response.header("set-cookie")).prefix { $0 != ";" })
  }

  /// An account with the password `correct horse battery`, signed in.
  static func make(
    _ login: String = "kim", _ role: Role = .admin, from client: String? = nil, in world: AdminWorld
  ) throws -> ConsoleVisitor {
    let link = try ConsoleAccounts.create(
      login, name: "Kim", role: role, appID: nil, by: .commandLine, on: world.connection, now: now(world))
    let first = try ConsoleVisitor(try post(#"{"link":"\#(link.token)"}"#, from: client, world), world)
    let chosen = try first.call("PUT", "/v1/admin/session/password", #"{"new":"\#(password)"}"#, from: client)
    try #require(chosen.status == 204, "\(chosen.text)")
    return try ConsoleVisitor(try post(proof(login), from: client, world), world)
  }

  static let password = "correct horse battery"

  static func proof(_ login: String, code: String? = nil) -> String {
    let code = code.map { #","code":"\#($0)""# } ?? ""
    return #"{"login":"\#(login)","password":"\#(password)"\#(code)}"#
  }

  /// Microseconds since 1970.
  static func now(_ world: AdminWorld) throws -> Timestamp {
    try world.connection.run(Statement("test-now", "SELECT clock_timestamp()")).timestamp(0, 0)
  }

  func call(_ method: String, _ path: String, _ body: String = "", from client: String? = nil) throws -> HTTPResponse {
    var headers = [(name: "Cookie", value: cookie), (name: "X-CSRF-Token", value: csrf)]
    if let client { headers.append(("X-Forwarded-For", client)) }
    return try world.call(method, path, headers: headers, body)
  }
}

extension AdminWorld {
  /// What the audit log says of an action, one line each: object and the values after it.
  func audited(_ action: String) throws -> [String] {
    let rows = try connection.run(
      Statement(
        "test-audited-\(action)",
        "SELECT object || coalesce(' ' || after::text, '') FROM audit_log WHERE action = '\(action)' ORDER BY entry"))
    return rows.map { rows.text($0, 0) }
  }
}
