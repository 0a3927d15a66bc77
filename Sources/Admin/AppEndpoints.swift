internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Apps.
extension AdminCall {
  /// `POST /v1/admin/apps/{appId}/resume`: lets the messages of a paused app go on.
  func resumeApp() throws(Problem) -> Response {
    let entry = try Administration.resumeApp(parameters["appId"], by: caller, on: connection)
    resources.messageCommitted()
    return .json(.ok, entry)
  }

  /// `PATCH /v1/admin/apps/{appId}` with some of `{"devicePolicy","userProof","badgeSync"}`.
  func setPolicies() throws(Problem) -> Response {
    let policies = try Self.readPolicies(try jsonBody())
    return .json(.ok, try Administration.setPolicies(policies, of: parameters["appId"], by: caller, on: connection))
  }

  static func readPolicies(_ body: [UInt8]) throws(Problem) -> Administration.Policies {
    var reader = JSONReader(body)
    var policies = Administration.Policies()
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "devicePolicy":
          guard let policy = App.DevicePolicy(name: try reader.readString()) else {
            throw JSONError("must be multi or single")
          }
          policies.device = policy
        case "userProof": policies.userProof = try reader.readBool() ? .on : .off
        case "badgeSync": policies.badgeSync = try reader.readBool()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    return policies
  }
}
