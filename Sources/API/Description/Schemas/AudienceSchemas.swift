internal import JSON
internal import Domain

/// The conditions of a segment, as `Segment` reads them.
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
          .optional("clientUids", values(JSONForm<String>.clientUID.schema), "One of these users."),
          .optional("all", inner, "All of these segments."), .optional("any", inner, "At least one of these."),
          .optional("not", JSONSchema.reference("Segment"), "Everybody but these."),
        ]
      ).adding("minProperties", .number(1))
    )
  ]

  // MARK: Parts

  private static let words = values(JSONSchema.text(upTo: Domain.Limits.attributeBytes))
  private static let inner = JSONSchema.list(of: JSONSchema.reference("Segment"), 1...Domain.Limits.segmentConditions)
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
    let length = JSONSchema.duration(1...Domain.Limits.segmentAgeSeconds)
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
    [
      .optional("any", values(JSONSchema.tag)), .optional("all", values(JSONSchema.tag)),
      .optional("none", values(JSONSchema.tag)),
    ]
  ).adding("minProperties", .number(1))

  private static let consentConditions = JSONSchema.object(
    isClosed: true,
    [
      .optional("notification", JSONSchema.flag), .optional("ad", JSONSchema.flag),
      .optional("nightAd", JSONSchema.flag),
    ]
  ).adding("minProperties", .number(1))
}
