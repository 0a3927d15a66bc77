internal import JSON
internal import Domain

/// What a message carries.
extension Schemas {
  /// The fields of a send that shape its payload and headers.
  static let contentFields: [JSONSchema.Property] = shown + settings + headers

  private static let shown: [JSONSchema.Property] = [
    .optional(
      "pushType", JSONSchema.words(PushType.allCases.map(\.rawValue)),
      "Apple's kind of push; found from the rest when absent. Each has fields of its own, and refuses the others."),
    .optional("alert", JSONSchema.reference("Alert")),
    .optional(
      "translations",
      map(
        of: JSONSchema.reference("Alert"), upTo: Domain.Limits.translations,
        named: #"^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8}){0,7}([.@][^\u0000]*)?$"#),
      "The same by language, such as `ko` or `en-GB`: a device gets the one that fits its locale best, or `alert`."),
    .optional(
      "variables",
      map(of: JSONSchema.text(upTo: Domain.Limits.variableBytes, isEmptyAllowed: true), upTo: 9, named: "^VAR[1-9]$"),
      "What stands for `%VAR1%` … `%VAR9%` in every text, by the names `VAR1` … `VAR9`."),
    .optional("badge", JSONSchema.reference("BadgeRequest")),
    .optional("sound", JSONSchema.reference("Sound")),
    .optional(
      "mediaUrl", JSONSchema.text(upTo: Domain.Limits.payloadBytes),
      "A picture, sound or film (https) that the app's extension fetches; `mutableContent` is set by it."),
    .optional("media", JSONSchema.text(upTo: Domain.Limits.nameBytes), "The same, by the id of an upload."),
    .optional(
      "ext", JSONSchema.text(upTo: Domain.Limits.hostedTextBytes),
      #"EXT: data for the app, at best `type\|title\|…\|url`. What does not fit moves to a page."#),
    .optional("data", customKeys, "Further keys of the payload, beside `aps` and `mps`."),
    fillsVariables,
    .optional("liveActivity", JSONSchema.reference("LiveActivity")),
    .optional("mdm", JSONSchema.text(upTo: Domain.Limits.nameBytes), "For the push type mdm: the device's PushMagic."),
  ]

  /// Custom keys: any but those that the server writes.
  static let customKeys: JSONTree = .object([
    ("type", "object"), ("propertyNames", .object([("not", .object([("enum", .texts(["aps", "mps", "mdm"]))]))])),
  ])

  static let fillsVariables: JSONSchema.Property = .optional(
    "fillVariables", JSONSchema.flag, "False: `%CUID%` and its like are text as any other. True when absent.")

  private static let settings: [JSONSchema.Property] = [
    .optional("category", name, "Which actions and extension the app shows."),
    .optional("threadId", name, "Groups notifications on the device."),
    .optional("targetContentId", name, "Which window of the app comes forward."),
    .optional("filterCriteria", name, "What a Focus decides by."),
    .optional("interruptionLevel", JSONSchema.words(InterruptionLevel.allCases.map(\.rawValue))),
    .optional(
      "relevanceScore", .object([("type", "number")]), "From 0 to 1; any number for a Live Activity."),
    .optional(
      "mutableContent", JSONSchema.flag,
      """
      Lets the Notification Service Extension run, which makes the receipt. Needs an alert. Absent: as the app's setting \
      `extension` says. With true a text that has no room moves to a page.
      """),
    .optional("contentAvailable", JSONSchema.flag, "Wakes the app in the background."),
  ]

  private static let headers: [JSONSchema.Property] = [
    .optional(
      "priority", .object([("enum", .list(PushPriority.allCases.map { .number(Int64($0.rawValue)) }))]),
      "10 at once, 5 with regard to the battery, 1 without waking the device."),
    .optional(
      "collapseId", JSONSchema.text(upTo: Domain.Limits.collapseIDBytes, matching: "^[!-~]([ -~]*[!-~])?$"),
      "A later push with the same one replaces this one; the SEQNO when absent. Printable ASCII."),
    .optional(
      "keepForDevice", JSONSchema.flag, "False: Apple tries once, and keeps nothing for a device that is away."),
  ]

  private static let name = JSONSchema.text(upTo: Domain.Limits.nameBytes)

  private static func map(of schema: JSONTree, upTo count: Int, named pattern: String) -> JSONTree {
    .object([
      ("type", "object"), ("maxProperties", .number(count)),
      ("propertyNames", .object([("pattern", .text(pattern))])), ("additionalProperties", schema),
    ])
  }

  static let content: [JSONTree.Member] = [
    (
      "Alert",
      JSONSchema.oneOf([
        JSONSchema.text(upTo: Domain.Limits.hostedTextBytes),
        JSONSchema.object(
          isClosed: true,
          [
            .optional("title", text), .optional("titleLocKey", text), .optional("titleLocArgs", arguments),
            .optional("subtitle", text), .optional("subtitleLocKey", text), .optional("subtitleLocArgs", arguments),
            .optional("body", JSONSchema.text(upTo: Domain.Limits.hostedTextBytes)), .optional("locKey", text),
            .optional("locArgs", arguments), .optional("launchImage", text),
            .optional("actionLocKey", text, "The name of a text inside the app, for the button of old."),
          ]
        ).adding(
          "dependentRequired",
          .object([
            ("titleLocArgs", .texts(["titleLocKey"])), ("subtitleLocArgs", .texts(["subtitleLocKey"])),
            ("locArgs", .texts(["locKey"])),
          ])),
      ]).adding(
        "description",
        """
        What people see: `body` or `locKey` is needed. A `…LocKey` names a text inside the app and stands instead of the \
        text itself. `%CUID%` and `%CNAME%` stand for each recipient's own.
        """)
    ),
    (
      "Sound",
      JSONSchema.oneOf([
        JSONSchema.optional(name),
        JSONSchema.object(
          "A critical alert: heard even when the device is muted.", isClosed: true,
          [
            .needed("critical", JSONSchema.constant(.flag(true))), .optional("name", name),
            .optional(
              "volume", .object([("type", "number"), ("minimum", .number(0)), ("maximum", .number(1))])),
          ]),
      ]).adding("description", "A file in the app; `default` when absent, null for silence.")
    ),
    (
      "LiveActivity",
      JSONSchema.object(
        "What a push does to a Live Activity. Times are seconds since 1970.", isClosed: true,
        [
          .needed("event", JSONSchema.words(LiveActivity.Event.allCases.map(\.rawValue))),
          .needed("timestamp", seconds), .optional("contentState", .object([("type", "object")])),
          .optional("staleDate", seconds), .optional("dismissalDate", seconds),
          .optional("attributesType", name), .optional("attributes", .object([("type", "object")])),
          .optional("inputPushToken", JSONSchema.flag), .optional("inputPushChannel", name),
        ])
    ),
  ]

  private static let text = JSONSchema.text(upTo: Domain.Limits.voipPayloadBytes)
  private static let seconds = JSONSchema.number(LiveActivity.seconds)
  private static let arguments = JSONSchema.list(of: JSONSchema.givenText)
}
