internal import Domain
internal import Operations

/// Users, devices and groups, as operators see them.
extension Schemas {
  static let people: [Node.Member] = [
    (
      "UserPage",
      page(
        of: Schema.object([
          .needed("clientUid", Schema.anyText), .needed("clientName", Schema.anyText),
          .needed("badge", Schema.badgeCount), .needed("devices", Schema.count, "Active ones."),
        ]))
    ),
    (
      "UserDetail",
      Schema.object([
        .needed("appId", Schema.appID), .needed("clientUid", Schema.anyText), .needed("clientName", Schema.anyText),
        .needed("badge", Schema.badgeCount), .needed("devices", Schema.list(of: Schema.reference("DeviceEntry"))),
        .needed("groups", groupNames),
      ])
    ),
    (
      "UserMessagePage",
      page(
        of: Schema.object([
          .needed("seqno", Schema.sequence), .needed("state", Schema.words(MessageState.allCases.map(\.name))),
          .needed("lane", Schema.words(Lane.allCases.map(\.name))),
          .needed(
            "kind", Schema.optional(Schema.words(MessageKind.allCases.map(\.rawValue))),
            "Null, as the sender and the title, when the request is so large (64 KB) that a list does not read it."),
          .needed("sender", Schema.optional(Schema.anyText)),
          .needed("title", Schema.optional(Schema.anyText), "Null also when it has none or is confidential."),
          .optional("confidential", Schema.flag), .needed("createdAt", Schema.moment),
          .needed("sendAt", Schema.optional(Schema.moment), "When it was due; null: at once."),
          .needed(
            "devices",
            Schema.list(
              of: Schema.object([
                .needed("device", Schema.uuid), .needed("status", Schema.words(OutcomeStatus.allCases.map(\.name))),
                .needed(
                  "reason", Schema.optional(Schema.anyText), "Why it ended so, in the network's own word or ours."),
                .needed("attempts", Schema.count),
                .needed("at", Schema.optional(Schema.moment), "When that was; null while it is under way."),
                .needed("receivedAt", Schema.optional(Schema.moment)),
                .needed("readAt", Schema.optional(Schema.moment)),
              ]))),
          .needed(
            "fallback",
            Schema.optional(
              Schema.object([
                .needed("state", Schema.words(["waiting", "confirmed", "sms-requested", "called-off"])),
                .needed("dueAt", Schema.moment), .needed("decidedAt", Schema.optional(Schema.moment)),
              ])), "The short message that may stand in for it; null: none."),
        ]))
    ),
    ("Erased", Schema.object([.needed("devices", Schema.count)])),
    (
      "PersonExport",
      Schema.object(
        [
          .needed("appId", Schema.appID), .needed("clientUid", Schema.anyText),
          .needed("phone", Schema.optional(Schema.anyText), "PHONENUM, as an app built with the existing SDK said it."),
        ]
          + ["user", "devices", "groups", "badges", "shortMessages", "inbox", "deliveries"].map {
            .needed($0, Schema.list(of: .object([("type", "object")])))
          })
    ),
    (
      "UserBadge",
      Schema.object(isClosed: true, [.needed("appId", Schema.appID), .needed("badge", Schema.badgeCount)])
    ),
    ("DevicePage", page(of: Schema.reference("DeviceEntry"))),
    ("DeviceEntry", Schema.object(device)),
    (
      "DeviceDetail",
      Schema.object(
        [.needed("appId", Schema.appID)] + device + [
          .needed(
            "consent",
            Schema.object([
              .needed("notification", Schema.optional(Schema.flag)), .needed("ad", Schema.optional(Schema.flag)),
              .needed("nightAd", Schema.optional(Schema.flag)),
            ]), "Null: never asked."),
          .needed("groups", groupNames),
        ])
    ),
    ("GroupEntryPage", page(of: Schema.reference("GroupEntry"))),
    (
      "GroupEntry",
      Schema.object([
        .needed("groupSeq", Schema.sequence), .needed("appId", Schema.appID), .needed("name", Schema.anyText),
        .needed("parent", Schema.optional(Schema.sequence), "Null at the top."), .needed("createdAt", Schema.moment),
        .needed("hasGroups", Schema.flag, "There are groups below it."),
        .needed("joinable", Schema.flag, "Devices may join it by themselves."),
      ])
    ),
    (
      "GroupChange",
      Schema.object(
        isClosed: true,
        [
          .optional("name", Schema.text(upTo: Domain.Limits.groupNameBytes)),
          .optional("parent", Schema.optional(Schema.reference("GroupSeq")), "Null: to the top."),
          .optional("joinable", Schema.flag, "Whether devices may join it by themselves."),
        ]
      ).adding("minProperties", .number(1))
    ),
    (
      "MemberPage",
      page(
        of: Schema.object([
          .needed("clientUid", Schema.optional(Schema.anyText), "Null for a guest."),
          .needed("device", Schema.optional(Schema.uuid), "The guest's device."),
          .needed("clientName", Schema.anyText), .needed("joinedAt", Schema.moment),
        ]))
    ),
    (
      "Members",
      Schema.object(
        isClosed: true,
        [
          .needed(
            "clientUids",
            Schema.list(of: Schema.text(upTo: Domain.Limits.clientUIDBytes), 0...Domain.Limits.audienceEntries))
        ])
    ),
    (
      "MembersChanged",
      Schema.object([
        .needed("members", Schema.count), .needed("unknown", Schema.list(of: Schema.anyText), "Not known to the app."),
      ])
    ),
  ]

  private static let groupNames = Schema.list(
    of: Schema.object([.needed("groupSeq", Schema.sequence), .needed("name", Schema.anyText)]))

  private static let device: [Schema.Property] =
    [
      .needed("device", Schema.uuid), .needed("clientUid", Schema.optional(Schema.anyText), "Null for a guest."),
      .needed("clientName", Schema.optional(Schema.anyText)), .needed("badge", Schema.badgeCount),
      .needed("pnsId", networks), .needed("environment", environments),
      .needed("psidPrefix", Schema.anyText, "The first eight characters of the push token."),
      .needed("deviceId", Schema.anyText),
      .needed("identity", Schema.optional(identities), "What its binding to the user was made with; null for a guest."),
      .needed("state", Schema.words(["active", "unregistered", "token-refused"])),
    ]
    + ["platform", "model", "osVersion", "appVersion", "locale", "timeZone"].map { .needed($0, Schema.anyText) }
    + [
      .needed(
        "registeredAt", Schema.optional(Schema.moment),
        "When it registered last; null for one that the file of another push server brought, until it does.")
    ]
    + ["boundAt", "createdAt"].map { .needed($0, Schema.moment) }
    + [
      .needed(
        "quarantine",
        Schema.optional(
          Schema.object([
            .needed("reason", Schema.anyText), .needed("seqno", Schema.optional(Schema.anyText)),
            .needed("at", Schema.moment),
          ])), "Why and since when it is put aside; null when it is not.")
    ]
}
