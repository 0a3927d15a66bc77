internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// `/v1/admin/segments…`: saved segments.
extension AdminCall {
  /// `{"appId","name","conditions":{…}}`.
  func createSegment() throws(Problem) -> Response {
    let (appID, change) = try Self.readSegment(try jsonBody())
    return .json(
      .created,
      try SegmentService.create(
        change, of: try Self.needed(appID), by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  /// `?appId=&limit=&cursor=`.
  func segments() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say whose segments: /v1/admin/segments?appId=…")
    }
    let page = try page()
    return .json(.ok, try SegmentService.list(appID, page, by: caller, on: connection))
  }

  func segment() throws(Problem) -> Response {
    .json(.ok, try SegmentService.find(try segmentNumber(), by: caller, on: connection))
  }

  /// `{"name"?,"conditions"?}`: what is not given stays.
  func changeSegment() throws(Problem) -> Response {
    let (appID, change) = try Self.readSegment(try jsonBody())
    guard appID == nil else { throw Problem(at: "/appId", "cannot be changed") }
    return .json(
      .ok,
      try SegmentService.change(
        try segmentNumber(), change, by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  func deleteSegment() throws(Problem) -> Response {
    try SegmentService.delete(try segmentNumber(), by: caller, on: connection)
    return Response(status: .noContent, headers: [], body: [])
  }

  func countSegment() throws(Problem) -> Response {
    .json(
      .ok,
      try SegmentService.count(
        try segmentNumber(), by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  /// `{"appId","conditions":{…}}`: how many devices that would be.
  func countConditions() throws(Problem) -> Response {
    let (appID, change) = try Self.readSegment(try jsonBody())
    guard change.name == nil else { throw Problem(at: "/name", "is not needed to count") }
    guard let conditions = change.conditions else { throw Problem(at: "/conditions", "is needed") }
    return .json(
      .ok,
      try SegmentService.count(
        conditions: conditions, of: try Self.needed(appID), by: caller, on: connection,
        now: resources.clock.wallMicroseconds))
  }

  private func segmentNumber() throws(Problem) -> Int64 {
    guard let segment = SequenceNumber.parse(parameters["segment"]) else {
      throw Problem(.unknownSegment, "A segment's number is a whole number, as its creation answered it.")
    }
    return segment
  }

  private static func needed(_ appID: String?) throws(Problem) -> String {
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    return appID
  }

  private static func readSegment(_ body: [UInt8]) throws(Problem) -> (appID: String?, SegmentService.Change) {
    var reader = JSONReader(body)
    var appID: String?
    var change = SegmentService.Change()
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "name": change.name = try reader.readText(upTo: Domain.Limits.segmentNameBytes)
        case "conditions": change.conditions = try reader.readRaw()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    return (appID, change)
  }
}
