internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Devices that are put aside.
extension AdminCall {
  /// `GET /v1/admin/quarantine?appId=&limit=&cursor=`: who, why and since when, page by page.
  func quarantine() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say whose devices: /v1/admin/quarantine?appId=…")
    }
    let page = try page()
    return .json(.ok, try QuarantineService.list(appID, page, by: caller, on: connection))
  }

  /// `POST /v1/admin/quarantine/restore`: gives devices back.
  func restoreQuarantine() throws(Problem) -> Response {
    let (appID, scope) = try Self.readRestoration(try jsonBody())
    return .json(.ok, try QuarantineService.restore(scope, of: appID, by: caller, on: connection))
  }

  /// `{"appId", "device"}` for one, `{"appId", "since"}` for those since a time, `{"appId", "all": true}` for everyone.
  static func readRestoration(_ body: [UInt8]) throws(Problem) -> (appID: String, scope: QuarantineService.Scope) {
    var reader = JSONReader(body)
    var appID: String?
    var scopes: [QuarantineService.Scope] = []
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "device": scopes.append(.device(try readDevice(&reader)))
        case "since": scopes.append(.since(try reader.readMoment()))
        case "all":
          guard try reader.readBool() else { throw JSONError("must be true, or left out") }
          scopes.append(.all)
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    guard scopes.count == 1 else {
      throw Problem(.invalidField, "Give one of device, since and all: whom to give back.")
    }
    return (appID, scopes[0])
  }

  private static func readDevice(_ reader: inout JSONReader) throws(JSONError) -> DeviceID {
    guard let device = DeviceID(try reader.readString()) else {
      throw JSONError("must be a device's id, as lists show it")
    }
    return device
  }
}
