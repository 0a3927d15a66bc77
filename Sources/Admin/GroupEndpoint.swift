internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// `POST /v1/admin/groups`: makes a group.
extension AdminCall {
  func createGroup() throws(Problem) -> Response {
    let group = try Self.readGroup(try jsonBody())
    return .json(
      .created,
      try Administration.createGroup(group, by: caller, on: connection, catalog: resources.catalog))
  }

  /// `{"appId","name","parent"?}`; the parent's GROUPSEQ as text or as a number.
  static func readGroup(_ body: [UInt8]) throws(Problem) -> Administration.NewGroup {
    var reader = JSONReader(body)
    var appID: String?
    var name: String?
    var parent: Int64?
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "name": name = try reader.readText(upTo: Domain.Limits.groupNameBytes)
        case "parent": parent = try readParent(&reader)
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    guard let name else { throw Problem(at: "/name", "is needed") }
    return Administration.NewGroup(appID: appID, name: name, parent: parent)
  }

  private static func readParent(_ reader: inout JSONReader) throws(JSONError) -> Int64? {
    try reader.readNull() ? nil : try reader.readGroupSeq()
  }
}
