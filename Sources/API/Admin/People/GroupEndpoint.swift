internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// Groups of users: the tree and its members.
extension AdminCall {
  /// `GET /v1/admin/groups?appId=&parent=&limit=&cursor=`: those right below one, or at the top, by name.
  func groups() throws(Problem) -> Response {
    var parent: Int64?
    if let text = query["parent"] {
      guard let number = Int64(text) else { throw Problem(.invalidField, "parent must be a GROUPSEQ.") }
      parent = number
    }
    return .json(
      .ok, try GroupService.list(of: try required("appId"), below: parent, try page(), by: caller, on: connection))
  }

  /// `GET /v1/admin/groups/{groupSeq}`.
  func group() throws(Problem) -> Response {
    .json(.ok, try GroupService.group(try groupSeq(), by: caller, on: connection))
  }

  /// `PATCH /v1/admin/groups/{groupSeq}`: `{"name"?,"parent"?,"joinable"?}`; parent null moves it to the top.
  func changeGroup() throws(Problem) -> Response {
    var change = GroupService.Change()
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "name": change.name = try reader.readText(upTo: Domain.Limits.groupNameBytes)
      case "parent": change.parent = .some(try Self.readParent(&reader))
      case "joinable": change.isJoinable = try reader.readBool()
      default: throw .unknownField
      }
    }
    guard change.name != nil || change.parent != nil || change.isJoinable != nil else {
      throw Problem(.invalidField, "Give what is to change: name, parent, or joinable.")
    }
    return .json(.ok, try GroupService.change(try groupSeq(), change, by: caller, on: connection))
  }

  /// `DELETE /v1/admin/groups/{groupSeq}`.
  func deleteGroup() throws(Problem) -> Response {
    try GroupService.delete(try groupSeq(), by: caller, on: connection)
    return .done
  }

  /// `GET /v1/admin/groups/{groupSeq}/members?limit=&cursor=`.
  func groupMembers() throws(Problem) -> Response {
    .json(.ok, try GroupService.members(of: try groupSeq(), try page(), by: caller, on: connection))
  }

  /// `POST /v1/admin/groups/{groupSeq}/members`: `{"clientUids":[…]}`.
  func addMembers() throws(Problem) -> Response { try changeMembers(adding: true) }

  /// `POST /v1/admin/groups/{groupSeq}/members/remove`: the same.
  func removeMembers() throws(Problem) -> Response { try changeMembers(adding: false) }

  private func changeMembers(adding: Bool) throws(Problem) -> Response {
    var clientUIDs: [String]?
    try readObject { (reader, key) throws(JSONError) in
      guard key == "clientUids" else { throw .unknownField }
      clientUIDs = try reader.readClientUIDs()
    }
    return .json(
      .ok,
      try GroupService.changeMembers(
        of: try groupSeq(), adding: adding, try Problem.need(clientUIDs, "clientUids"), by: caller, on: connection,
        now: resources.clock.wallMicroseconds))
  }

  /// `POST /v1/admin/groups`: makes a group.
  func createGroup() throws(Problem) -> Response {
    let group = try Self.readGroup(try jsonBody())
    return .json(
      .created,
      try Administration.createGroup(group, by: caller, on: connection, catalog: resources.catalog))
  }

  /// `{"appId","name","parent"?,"joinable"?}`; the parent's GROUPSEQ as text or as a number.
  static func readGroup(_ body: [UInt8]) throws(Problem) -> Administration.NewGroup {
    var reader = JSONReader(body)
    var appID: String?
    var name: String?
    var parent: Int64?
    var isJoinable: Bool?
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "name": name = try reader.readText(upTo: Domain.Limits.groupNameBytes)
        case "parent": parent = try readParent(&reader)
        case "joinable": isJoinable = try reader.readBool()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    guard let name else { throw Problem(at: "/name", "is needed") }
    return Administration.NewGroup(appID: appID, name: name, parent: parent, isJoinable: isJoinable)
  }

  private static func readParent(_ reader: inout JSONReader) throws(JSONError) -> Int64? {
    try reader.readNull() ? nil : try reader.readGroupSeq()
  }
}
