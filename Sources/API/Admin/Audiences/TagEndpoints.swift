internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// `/v1/admin/tags` and `/v1/admin/audiences/csv`: who is who.
extension AdminCall {
  /// `{"appId","clientUids":[…]|"devices":[…],"add":[…],"remove":[…]}`, or `"set":[…]` for exactly these tags.
  func changeTags() throws(Problem) -> Response {
    let (appID, owners, change) = try Self.readTags(try jsonBody())
    return .json(.ok, try TagService.change(change, of: owners, in: appID, by: caller, on: connection))
  }

  /// `?appId=&clientUid=` or `?appId=&device=`; with neither, all tags in use.
  func tags() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say whose tags: /v1/admin/tags?appId=…&clientUid=… or …&device=…")
    }
    let owner: TagService.Owners
    switch (query["clientUid"], query["device"]) {
    case (nil, nil): return .json(.ok, try TagService.all(in: appID, by: caller, on: connection))
    case (let clientUID?, nil): owner = .users([clientUID])
    case (nil, let device?):
      guard let id = DeviceID(device) else { throw Problem(.invalidField, "device must be a device's id, a UUID.") }
      owner = .devices([id])
    default: throw Problem(.impossible, "Name either clientUid or device.")
    }
    return .json(.ok, try TagService.list(owner, in: appID, by: caller, on: connection))
  }

  private static func readTags(
    _ body: [UInt8]
  ) throws(Problem) -> (appID: String, TagService.Owners, TagService.Change) {
    var reader = JSONReader(body)
    var appID: String?
    var owners: [TagService.Owners] = []
    var change = TagService.Change()
    var replacement: [String]?
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "clientUids":
          owners.append(
            .users(
              try readAll(&reader) { (reader) throws(JSONError) in
                let user = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
                guard user != UserKey.guestUID else { throw JSONError("GUEST is nobody; tag the device") }
                return user
              }))
        case "devices":
          owners.append(
            .devices(
              try readAll(&reader) { (reader) throws(JSONError) in
                guard let device = DeviceID(try reader.readString()) else { throw JSONError("must be a device id") }
                return device
              }))
        case "add": change.add = try readTagList(&reader)
        case "remove": change.remove = try readTagList(&reader)
        case "set": replacement = try readTagList(&reader)
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    guard let first = owners.first, owners.count == 1 else {
      throw Problem(.impossible, "Give either clientUids or devices: whose tags.")
    }
    if let replacement {
      guard change.add.isEmpty, change.remove.isEmpty else {
        throw Problem(.impossible, at: "/set", "says all tags; it cannot stand beside add or remove")
      }
      change.add = replacement
      change.replaces = true
    }
    return (appID, first, change)
  }

  private static func readTagList(_ reader: inout JSONReader) throws(JSONError) -> [String] {
    var tags: [String] = []
    try reader.readArray { (reader, index) throws(JSONError) in
      guard index < Domain.Limits.tagsPerOwner else {
        throw JSONError("is one more than the \(Domain.Limits.tagsPerOwner) tags that anybody may have")
      }
      tags.append(try reader.readTag())
    }
    return tags
  }

  private static func readAll<Entry>(
    _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> Entry
  ) throws(JSONError) -> [Entry] {
    var entries: [Entry] = []
    try reader.readArray { (reader, index) throws(JSONError) in
      guard index < Domain.Limits.audienceEntries else {
        throw JSONError("is one more than the \(Domain.Limits.audienceEntries) of one call")
      }
      entries.append(try read(&reader))
    }
    guard !entries.isEmpty else { throw JSONError("must name at least one") }
    return entries
  }

  // MARK: Files

  /// `POST /v1/admin/audiences/csv?appId=&skipErrors=`: the body is the file itself.
  func uploadAudience() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say for which app: /v1/admin/audiences/csv?appId=…")
    }
    let type = request.header("content-type")?.split(separator: ";").first?.lowercased() ?? ""
    guard ["text/csv", "text/plain", "application/octet-stream"].contains(type) else {
      throw Problem(.unsupportedMediaType, "Send the file itself with Content-Type: text/csv.")
    }
    let stored = try CSVUploads.store(
      request.source, of: appID, skipsFaults: query["skipErrors"] == "true", by: caller, on: connection,
      now: resources.clock.wallMicroseconds)
    return .json(.created, stored)
  }
}
