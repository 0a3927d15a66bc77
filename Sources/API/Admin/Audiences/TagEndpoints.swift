internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for tags of users and devices.
extension Endpoint {
  static let tags: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/tags", id: "changeTags", in: .audiences, "Give tags to users or devices, or take them away",
      """
      Up to 10,000 at once. A user's tags hold on all its devices, and may be given before it registers; a device's tags \
      belong to the installation. With `set` all other tags go. Repeating the call changes nothing.
      """, by: .permission(.manageAudiences), load: .heavy,
      body: Body(
        schema: TagBody.named.name,
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

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let tagSchemas: [JSONTree.Member] = [
    TagBody.named, TagService.Changed.object.named, TagService.List.object.named,
  ]
}

extension AdminCall {
  fileprivate func changeTags() throws(Problem) -> Response {
    let tags = try body(TagBody.object)
    return .json(
      .ok,
      try TagService.change(try tags.change(), of: try tags.owners(), in: tags.appID, by: caller, on: connection))
  }

  /// Answers with the tags of a user (`?appId=&clientUid=`) or device (`?appId=&device=`); with neither, all tags in
  /// use in the app. Refuses the request if it names both.
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
}

/// The request body of a tag change: users or devices, and either the tags to add and remove, or the set of tags that
/// replaces all others.
private struct TagBody {
  var appID = ""
  var clientUIDs: [String]?
  var devices: [DeviceID]?
  var add: [String] = []
  var remove: [String] = []
  var set: [String]?

  /// The schema for the API description, which requires either users or devices. `object`, which parses the body,
  /// permits both or neither, so `owners` refuses these cases.
  static let named: JSONTree.Member = (
    "TagChange",
    JSONSchema.oneOf([
      tagsOf([users(isNeeded: true)]).schema.titled("TagChangeOfUsers"),
      tagsOf([devices(isNeeded: true)]).schema.titled("TagChangeOfDevices"),
    ])
  )
  static let object = tagsOf([users(isNeeded: false), devices(isNeeded: false)])

  private static func tagsOf(_ owners: [JSONField<TagBody>]) -> JSONObject<TagBody> {
    JSONObject(
      "TagChange", isNamed: false, from: TagBody(),
      [.required("appId", .appID, \.appID)] + owners + [
        .given("add", tags, \.add), .given("remove", tags, \.remove),
        .given("set", tags, \.set, "Exactly these; then neither add nor remove."),
      ])
  }

  private static func users(isNeeded: Bool) -> JSONField<TagBody> {
    let form: JSONForm<[String]> = owners(
      JSONForm<String>.clientUID.mapped(
        by: { $0 == UserKey.guestUID ? nil : $0 }, else: "GUEST is nobody; tag the device", written: { $0 }))
    return isNeeded
      ? .required("clientUids", form.some, \.clientUIDs, "Whose tags.") : .given("clientUids", form, \.clientUIDs)
  }

  private static func devices(isNeeded: Bool) -> JSONField<TagBody> {
    let form: JSONForm<[DeviceID]> = owners(.device)
    return isNeeded
      ? .required("devices", form.some, \.devices, "Whose tags.") : .given("devices", form, \.devices)
  }

  private static func owners<Owner>(_ form: JSONForm<Owner>) -> JSONForm<[Owner]> {
    .list(
      of: form, 1...Domain.Limits.audienceEntries,
      tooMany: "is one more than the \(Domain.Limits.audienceEntries) of one call", tooFew: "must name at least one")
  }

  private static let tags = JSONForm<[String]>.list(
    of: .tag, 0...Domain.Limits.tagsPerOwner,
    tooMany: "is one more than the \(Domain.Limits.tagsPerOwner) tags that anybody may have")

  func owners() throws(Problem) -> TagService.Owners {
    switch (clientUIDs, devices) {
    case (let users?, nil): return .users(users)
    case (nil, let devices?): return .devices(devices)
    default: throw Problem(.impossible, "Give either clientUids or devices: whose tags.")
    }
  }

  func change() throws(Problem) -> TagService.Change {
    var change = TagService.Change()
    (change.add, change.remove) = (add, remove)
    guard let set else {
      guard Set(add).isDisjoint(with: remove) else {
        throw Problem(.impossible, at: "/remove", "names a tag that add names too")
      }
      return change
    }
    guard add.isEmpty, remove.isEmpty else {
      throw Problem(.impossible, at: "/set", "says all tags; it cannot stand beside add or remove")
    }
    (change.add, change.replaces) = (set, true)
    return change
  }
}
