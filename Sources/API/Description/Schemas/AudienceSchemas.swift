internal import JSON
internal import Domain

/// Tags, segments and files.
extension Schemas {
  static let audiences: [JSONTree.Member] = [
    (
      "Segment",
      JSONSchema.object(
        "Conditions that must all be true of a device. At least one, at most 50, inner ones counted.", isClosed: true,
        [
          .optional("platform", words, "Such as `ios`; upper and lower case are the same."),
          .optional("appVersion", versions), .optional("osVersion", versions),
          .optional("language", words, "ISO 639: the first part of the device's locale."),
          .optional("country", words, "ISO 3166: the region in the device's locale."),
          .optional("timeZone", words, "IANA names."),
          .optional("registered", times, "First registered: long ago, when a file of another push server brought it."),
          .optional("seen", times, "Last registered or called, to the hour."),
          .optional("tags", tagConditions, "Tags of the device or of its user."),
          .optional("member", JSONSchema.flag, "Has a user (true), or is a guest."),
          .optional("consent", consentConditions, "Was given (true) or withdrawn (false)."),
          .optional("groups", values(JSONSchema.reference("GroupSeq")), "Member of one of these, or of one below."),
          .optional("clientUids", values(clientUID), "One of these users."),
          .optional("all", inner, "All of these segments."), .optional("any", inner, "At least one of these."),
          .optional("not", JSONSchema.reference("Segment"), "Everybody but these."),
        ]
      ).adding("minProperties", .number(1))
    ),
    (
      "SavedSegment",
      JSONSchema.object([
        .needed("segment", JSONSchema.sequence, "Its number."), .needed("name", JSONSchema.anyText),
        .needed("conditions", JSONSchema.reference("Segment")), .needed("createdAt", JSONSchema.moment),
        .needed("updatedAt", JSONSchema.moment),
      ])
    ),
    (
      "SegmentPage",
      JSONSchema.object([.needed("items", JSONSchema.list(of: JSONSchema.reference("SavedSegment"))), nextCursor])
    ),
    (
      "NewSegment",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("appId", JSONSchema.appID), .needed("name", segmentName),
          .needed("conditions", JSONSchema.reference("Segment")),
        ])
    ),
    (
      "SegmentDraft",
      JSONSchema.object(
        isClosed: true, [.needed("appId", JSONSchema.appID), .needed("conditions", JSONSchema.reference("Segment"))])
    ),
    (
      "SegmentChange",
      JSONSchema.object(
        isClosed: true, [.optional("name", segmentName), .optional("conditions", JSONSchema.reference("Segment"))]
      ).adding("minProperties", .number(1))
    ),
    ("DeviceCount", JSONSchema.object([.needed("devices", JSONSchema.count, "Devices, each counted once.")])),
    ("TagChange", JSONSchema.oneOf([tagChange("clientUids", clientUID), tagChange("devices", JSONSchema.uuid)])),
    (
      "TagsChanged",
      JSONSchema.object([
        .needed("changed", JSONSchema.count, "Users or devices that were found."),
        .needed("unknown", JSONSchema.list(of: JSONSchema.anyText), "Devices that are not registered."),
      ])
    ),
    ("Tags", JSONSchema.object([.needed("tags", JSONSchema.list(of: JSONSchema.anyText))])),
    ("CSVFile", .object([("type", "string"), ("description", "One user a line.")])),
    (
      "CSVStored",
      JSONSchema.object([
        .needed("csv", JSONSchema.sequence, "Its number, for the audience of a send."),
        .needed("lines", JSONSchema.count, "Users in it."), .needed("duplicates", JSONSchema.count, "Lines left out."),
        .needed("encoding", encodings), .needed("devices", JSONSchema.count, "That it reaches now."),
        .needed("unknown", JSONSchema.count, "Users without a device."),
        .needed("unknownUsers", JSONSchema.list(of: JSONSchema.anyText), "The first of them."),
        .needed("faults", JSONSchema.count, "Wrong lines, left out."),
        .needed(
          "errors",
          JSONSchema.list(
            of: JSONSchema.object([.needed("line", JSONSchema.count), .needed("detail", JSONSchema.anyText)])),
          "The first of them."),
        .needed("expiresAt", JSONSchema.moment),
      ])
    ),
  ]

  // MARK: Parts

  private static let segmentName = JSONSchema.text(upTo: Domain.Limits.segmentNameBytes)
  private static let words = values(JSONSchema.text(upTo: Domain.Limits.attributeBytes))
  private static let inner = JSONSchema.list(of: JSONSchema.reference("Segment"), 1...Domain.Limits.segmentConditions)
  private static let tag = JSONSchema.text(
    upTo: Domain.Limits.tagBytes,
    matching: #"^[^\u0000-\u0020\u007f]([^\u0000-\u001f\u007f]*[^\u0000-\u0020\u007f])?$"#)

  private static func values(_ value: JSONTree) -> JSONTree {
    JSONSchema.list(of: value, 1...Domain.Limits.segmentValues)
  }

  private static let versions: JSONTree = {
    let version = JSONSchema.text(matching: #"^[0-9]{1,9}(\.[0-9]{1,9}){0,7}$"#)
    return JSONSchema.object(
      isClosed: true,
      [.optional("from", version), .optional("before", version), .optional("upTo", version)]
    ).adding("minProperties", .number(1)).adding(
      "description", "Compared number by number: 1.10 comes after 1.9. A device that says no version is in no range.")
  }()

  private static let times: JSONTree = {
    let length = duration(1...Domain.Limits.segmentAgeSeconds)
    return JSONSchema.object(
      isClosed: true,
      [
        .optional("since", JSONSchema.moment), .optional("before", JSONSchema.moment),
        .optional("within", length, "So long ago at most."), .optional("notWithin", length, "Longer ago."),
      ]
    ).adding("minProperties", .number(1))
  }()

  private static let tagConditions = JSONSchema.object(
    isClosed: true,
    [.optional("any", values(tag)), .optional("all", values(tag)), .optional("none", values(tag))]
  ).adding("minProperties", .number(1))

  private static let consentConditions = JSONSchema.object(
    isClosed: true,
    [
      .optional("notification", JSONSchema.flag), .optional("ad", JSONSchema.flag),
      .optional("nightAd", JSONSchema.flag),
    ]
  ).adding("minProperties", .number(1))

  private static func tagChange(_ owners: String, _ owner: JSONTree) -> JSONTree {
    let tags = JSONSchema.list(of: tag, 0...Domain.Limits.tagsPerOwner)
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
