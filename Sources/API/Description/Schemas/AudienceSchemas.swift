internal import Domain

/// Tags, segments and files.
extension Schemas {
  static let audiences: [Node.Member] = [
    (
      "Segment",
      Schema.object(
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
          .optional("member", Schema.flag, "Has a user (true), or is a guest."),
          .optional("consent", consentConditions, "Was given (true) or withdrawn (false)."),
          .optional("groups", values(Schema.reference("GroupSeq")), "Member of one of these, or of one below."),
          .optional("clientUids", values(clientUID), "One of these users."),
          .optional("all", inner, "All of these segments."), .optional("any", inner, "At least one of these."),
          .optional("not", Schema.reference("Segment"), "Everybody but these."),
        ]
      ).adding("minProperties", .number(1))
    ),
    (
      "SavedSegment",
      Schema.object([
        .needed("segment", Schema.sequence, "Its number."), .needed("name", Schema.anyText),
        .needed("conditions", Schema.reference("Segment")), .needed("createdAt", Schema.moment),
        .needed("updatedAt", Schema.moment),
      ])
    ),
    ("SegmentPage", Schema.object([.needed("items", Schema.list(of: Schema.reference("SavedSegment"))), nextCursor])),
    (
      "NewSegment",
      Schema.object(
        isClosed: true,
        [
          .needed("appId", Schema.appID), .needed("name", segmentName),
          .needed("conditions", Schema.reference("Segment")),
        ])
    ),
    (
      "SegmentDraft",
      Schema.object(
        isClosed: true, [.needed("appId", Schema.appID), .needed("conditions", Schema.reference("Segment"))])
    ),
    (
      "SegmentChange",
      Schema.object(
        isClosed: true, [.optional("name", segmentName), .optional("conditions", Schema.reference("Segment"))]
      ).adding("minProperties", .number(1))
    ),
    ("DeviceCount", Schema.object([.needed("devices", Schema.count, "Devices, each counted once.")])),
    ("TagChange", Schema.oneOf([tagChange("clientUids", clientUID), tagChange("devices", Schema.uuid)])),
    (
      "TagsChanged",
      Schema.object([
        .needed("changed", Schema.count, "Users or devices that were found."),
        .needed("unknown", Schema.list(of: Schema.anyText), "Devices that are not registered."),
      ])
    ),
    ("Tags", Schema.object([.needed("tags", Schema.list(of: Schema.anyText))])),
    ("CSVFile", .object([("type", "string"), ("description", "One user a line.")])),
    (
      "CSVStored",
      Schema.object([
        .needed("csv", Schema.sequence, "Its number, for the audience of a send."),
        .needed("lines", Schema.count, "Users in it."), .needed("duplicates", Schema.count, "Lines left out."),
        .needed("encoding", encodings), .needed("devices", Schema.count, "That it reaches now."),
        .needed("unknown", Schema.count, "Users without a device."),
        .needed("unknownUsers", Schema.list(of: Schema.anyText), "The first of them."),
        .needed("faults", Schema.count, "Wrong lines, left out."),
        .needed(
          "errors",
          Schema.list(
            of: Schema.object([.needed("line", Schema.count), .needed("detail", Schema.anyText)])),
          "The first of them."),
        .needed("expiresAt", Schema.moment),
      ])
    ),
  ]

  // MARK: Parts

  private static let segmentName = Schema.text(upTo: Domain.Limits.segmentNameBytes)
  private static let words = values(Schema.text(upTo: Domain.Limits.attributeBytes))
  private static let inner = Schema.list(of: Schema.reference("Segment"), 1...Domain.Limits.segmentConditions)
  private static let tag = Schema.text(
    upTo: Domain.Limits.tagBytes,
    matching: #"^[^\u0000-\u0020\u007f]([^\u0000-\u001f\u007f]*[^\u0000-\u0020\u007f])?$"#)

  private static func values(_ value: Node) -> Node {
    Schema.list(of: value, 1...Domain.Limits.segmentValues)
  }

  private static let versions: Node = {
    let version = Schema.text(matching: #"^[0-9]{1,9}(\.[0-9]{1,9}){0,7}$"#)
    return Schema.object(
      isClosed: true,
      [.optional("from", version), .optional("before", version), .optional("upTo", version)]
    ).adding("minProperties", .number(1)).adding(
      "description", "Compared number by number: 1.10 comes after 1.9. A device that says no version is in no range.")
  }()

  private static let times: Node = {
    let length = duration(1...Domain.Limits.segmentAgeSeconds)
    return Schema.object(
      isClosed: true,
      [
        .optional("since", Schema.moment), .optional("before", Schema.moment),
        .optional("within", length, "So long ago at most."), .optional("notWithin", length, "Longer ago."),
      ]
    ).adding("minProperties", .number(1))
  }()

  private static let tagConditions = Schema.object(
    isClosed: true,
    [.optional("any", values(tag)), .optional("all", values(tag)), .optional("none", values(tag))]
  ).adding("minProperties", .number(1))

  private static let consentConditions = Schema.object(
    isClosed: true,
    [
      .optional("notification", Schema.flag), .optional("ad", Schema.flag), .optional("nightAd", Schema.flag),
    ]
  ).adding("minProperties", .number(1))

  private static func tagChange(_ owners: String, _ owner: Node) -> Node {
    let tags = Schema.list(of: tag, 0...Domain.Limits.tagsPerOwner)
    return Schema.object(
      isClosed: true,
      [
        .needed("appId", Schema.appID),
        .needed(owners, Schema.list(of: owner, 1...Domain.Limits.audienceEntries), "Whose tags."),
        .optional("add", tags), .optional("remove", tags),
        .optional("set", tags, "Exactly these; then neither add nor remove."),
      ])
  }
}
