internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Tags: who is who.
extension Endpoint {
  static let tags: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/tags", id: "changeTags", in: .audiences, "Give tags to users or devices, or take them away",
      """
      Up to 10,000 at once. A user's tags hold on all its devices, and may be given before it registers; a device's tags \
      belong to the installation. With `set` all other tags go. Repeating the call changes nothing.
      """, by: .permission(.manageAudiences), load: .heavy,
      body: Body(
        schema: "TagChange",
        examples: [
          ("users", #"{"appId":"com.example.bank","clientUids":["kim01","lee02"],"add":["vip"],"remove":["trial"]}"#),
          (
            "devices",
            #"{"appId":"com.example.bank","devices":["b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b"],"set":["tester"]}"#
          ),
        ]),
      answers: [Answer(200, "Who has them now.", TagService.Changed.object, example: #"{"changed":2,"unknown":[]}"#)],
      problems: [.unknownApp, .impossible], handler: .whole(AdminCall.changeTags)),
    Endpoint(
      .get, "/v1/admin/tags", id: "showTags", in: .audiences, "Ask for the tags of a user or a device",
      "With neither `clientUid` nor `device`: all tags that anybody has.", by: .permission(.manageAudiences),
      parameters: [
        .ofApp(),
        .query("clientUid", JSONForm<String>.clientUID.schema, "Of this user."),
        .query("device", JSONSchema.uuid, "Of this device."),
      ],
      answers: [Answer(200, "The tags.", TagService.List.object, example: #"{"tags":["vip"]}"#)],
      problems: [.invalidField, .unknownApp, .unknownDevice, .impossible], handler: .whole(AdminCall.tags)),
  ]

  /// What they take and answer, in the order of the description.
  static let tagSchemas: [JSONTree.Member] = [
    (
      "TagChange",
      JSONSchema.oneOf([
        tagChange("clientUids", JSONForm<String>.clientUID.schema), tagChange("devices", JSONSchema.uuid),
      ])
    ),
    TagService.Changed.object.named, TagService.List.object.named,
  ]

  /// As `AdminCall.readTags` reads it.
  private static func tagChange(_ owners: String, _ owner: JSONTree) -> JSONTree {
    let tags = JSONSchema.list(of: JSONSchema.tag, 0...Domain.Limits.tagsPerOwner)
    return JSONSchema.object(
      isClosed: true,
      [
        .needed("appId", JSONSchema.appID),
        .needed(owners, JSONSchema.list(of: owner, 1...Domain.Limits.audienceEntries), "Whose tags."),
        .optional("add", tags), .optional("remove", tags),
        .optional("set", tags, "Exactly these; then neither add nor remove."),
      ])
  }
}

extension AdminCall {
  /// `{"appId","clientUids":[…]|"devices":[…],"add":[…],"remove":[…]}`, or `"set":[…]` for exactly these tags.
  fileprivate func changeTags() throws(Problem) -> Response {
    let (appID, owners, change) = try Self.readTags(try jsonBody())
    return .json(.ok, try TagService.change(change, of: owners, in: appID, by: caller, on: connection))
  }

  /// `?appId=&clientUid=` or `?appId=&device=`; with neither, all tags in use.
  fileprivate func tags() throws(Problem) -> Response {
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
}
