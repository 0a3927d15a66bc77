internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// API keys.
extension AdminCall {
  /// `GET /v1/admin/api-keys?appId=&limit=&cursor=`: revoked ones too, never the keys themselves.
  func keys() throws(Problem) -> Response {
    .json(.ok, try Administration.keys(of: query["appId"], try page(), by: caller, on: connection))
  }

  /// `POST /v1/admin/api-keys`: `{"role","appId"?,"name"?}`. The key is in this answer and nowhere else.
  func createKey() throws(Problem) -> Response {
    var role: Role?
    var appID: String?
    var name = ""
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "role": role = try reader.readRole()
      case "appId": appID = try reader.readNull() ? nil : try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "name": name = try reader.readString()
      default: throw .unknownField
      }
    }
    return .json(
      .created,
      try Administration.createKey(
        try Problem.need(role, "role"), appID: appID, name: name, by: caller, on: connection))
  }

  /// `DELETE /v1/admin/api-keys/{apiKeyId}`: answers what it was.
  func revokeKey() throws(Problem) -> Response {
    guard let number = Int32(parameters["apiKeyId"]) else {
      throw Problem(.notFound, "An API key's id is a whole number, as lists show it.")
    }
    return .json(.ok, try Administration.revokeKey(number, by: caller, on: connection))
  }

  /// `GET /v1/admin/audit?appId=&action=&actor=&object=&limit=&cursor=`: newest first.
  func audit() throws(Problem) -> Response {
    let question = Auditing.Question(
      appID: query["appId"], action: query["action"], actor: query["actor"],
      object: query["object"])
    return .json(.ok, try Auditing.list(question, try page(), by: caller, on: connection))
  }
}

extension JSONReader {
  mutating func readRole() throws(JSONError) -> Role {
    guard let role = Role(rawValue: try readString()) else {
      throw JSONError("must be one of \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return role
  }
}
