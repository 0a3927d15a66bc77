internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor
internal import Store

/// Files of people on their way in.
extension AdminCall {
  /// `GET /v1/admin/imports?appId=&limit=&cursor=`: newest first.
  func imports() throws(Problem) -> Response {
    .json(.ok, try ImportService.list(of: try required("appId"), try page(), by: caller, on: connection))
  }

  /// `POST /v1/admin/imports`: `{"appId","kind","groupSeq"?,"skipErrors"?,"encoding"?}`.
  func beginImport() throws(Problem) -> Response {
    var appID: String?
    var kind: Imports.Kind?
    var group: Int64?
    var skipsErrors = true
    var encoding: FileEncoding?
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "kind":
        guard let known = Imports.Kind(name: try reader.readString()) else {
          throw JSONError("must be users, members or devices")
        }
        kind = known
      case "groupSeq": group = try reader.readNull() ? nil : try reader.readGroupSeq()
      case "skipErrors": skipsErrors = try reader.readBool()
      case "encoding":
        guard let known = FileEncoding(name: try reader.readString()) else { throw JSONError("must be UTF-8 or CP949") }
        encoding = known
      default: throw .unknownField
      }
    }
    return .json(
      .created,
      try ImportService.begin(
        try Problem.need(kind, "kind"), of: try Problem.need(appID, "appId"), group: group,
        skipsErrors: skipsErrors, encoding: encoding, by: caller, on: connection))
  }

  /// `GET /v1/admin/imports/{importId}`: how far it is.
  func showImport() throws(Problem) -> Response {
    .json(.ok, try ImportService.show(try importNumber(), by: caller, on: connection))
  }

  /// `GET /v1/admin/imports/{importId}/errors?limit=&cursor=`: what was wrong, line by line.
  func importErrors() throws(Problem) -> Response {
    .json(.ok, try ImportService.faults(of: try importNumber(), try page(), by: caller, on: connection))
  }

  /// `PUT /v1/admin/imports/{importId}/parts/{part}?last=true`: the body is the next part of the file, cut anywhere.
  func takeImportPart() throws(Problem) -> Response {
    let type = request.header("content-type")?.split(separator: ";").first?.lowercased().filter { $0 != " " }
    guard type == "text/csv" else {
      throw Problem(.unsupportedMediaType, "Send a part of the file with Content-Type: text/csv.")
    }
    guard let part = Int32(parameters["part"]), part > 0 else {
      throw Problem(.invalidField, "Parts are counted from 1: …/parts/1")
    }
    let last = query["last"] ?? "false"
    guard ["true", "false"].contains(last) else { throw Problem(.invalidField, "last must be true or false.") }
    return .json(
      .ok,
      try ImportService.take(
        ImportService.Part(number: part, bytes: request.body, isLast: last == "true"), of: try importNumber(),
        by: caller,
        on: connection, now: resources.clock.wallMicroseconds))
  }

  private func importNumber() throws(Problem) -> Int64 {
    guard let number = Int64(parameters["importId"]) else {
      throw Problem(.notFound, "An import's id is a whole number, as lists show it.")
    }
    return number
  }
}
