internal import JSON
internal import Domain
internal import Operations

/// Users, devices and groups, as operators see them.
extension Schemas {
  static let people: [JSONTree.Member] = [
    (
      "UserPage",
      page(
        of: JSONSchema.object([
          .needed("clientUid", JSONSchema.anyText), .needed("clientName", JSONSchema.anyText),
          .needed("badge", JSONSchema.badgeCount), .needed("devices", JSONSchema.count, "Active ones."),
        ]))
    ),
    (
      "UserDetail",
      JSONSchema.object([
        .needed("appId", JSONSchema.appID), .needed("clientUid", JSONSchema.anyText),
        .needed("clientName", JSONSchema.anyText),
        .needed("badge", JSONSchema.badgeCount),
        .needed("devices", JSONSchema.list(of: JSONSchema.reference("DeviceEntry"))),
        .needed("groups", groupNames),
      ])
    ),
    (
      "UserMessagePage",
      page(
        of: JSONSchema.object([
          .needed("seqno", JSONSchema.sequence), .needed("state", JSONSchema.words(MessageState.allCases.map(\.name))),
          .needed("lane", JSONSchema.words(Lane.allCases.map(\.name))),
          .needed(
            "kind", JSONSchema.optional(JSONSchema.words(MessageKind.allCases.map(\.rawValue))),
            "Null, as the sender and the title, when the request is so large (64 KB) that a list does not read it."),
          .needed("sender", JSONSchema.optional(JSONSchema.anyText)),
          .needed("title", JSONSchema.optional(JSONSchema.anyText), "Null also when it has none or is confidential."),
          .optional("confidential", JSONSchema.flag), .needed("createdAt", JSONSchema.moment),
          .needed("sendAt", JSONSchema.optional(JSONSchema.moment), "When it was due; null: at once."),
          .needed(
            "devices",
            JSONSchema.list(
              of: JSONSchema.object([
                .needed("device", JSONSchema.uuid),
                .needed("status", JSONSchema.words(OutcomeStatus.allCases.map(\.name))),
                .needed(
                  "reason", JSONSchema.optional(JSONSchema.anyText),
                  "Why it ended so, in the network's own word or ours."),
                .needed("attempts", JSONSchema.count),
                .needed("at", JSONSchema.optional(JSONSchema.moment), "When that was; null while it is under way."),
                .needed("receivedAt", JSONSchema.optional(JSONSchema.moment)),
                .needed("readAt", JSONSchema.optional(JSONSchema.moment)),
              ]))),
          .needed(
            "fallback",
            JSONSchema.optional(
              JSONSchema.object([
                .needed("state", JSONSchema.words(["waiting", "confirmed", "sms-requested", "called-off"])),
                .needed("dueAt", JSONSchema.moment), .needed("decidedAt", JSONSchema.optional(JSONSchema.moment)),
              ])), "The short message that may stand in for it; null: none."),
        ]))
    ),
    ("Erased", JSONSchema.object([.needed("devices", JSONSchema.count)])),
    (
      "PersonExport",
      JSONSchema.object(
        [
          .needed("appId", JSONSchema.appID), .needed("clientUid", JSONSchema.anyText),
          .needed(
            "phone", JSONSchema.optional(JSONSchema.anyText), "PHONENUM, as an app built with the existing SDK said it."
          ),
        ]
          + ["user", "devices", "groups", "badges", "shortMessages", "inbox", "deliveries"].map {
            .needed($0, JSONSchema.list(of: .object([("type", "object")])))
          })
    ),
    (
      "UserBadge",
      JSONSchema.object(isClosed: true, [.needed("appId", JSONSchema.appID), .needed("badge", JSONSchema.badgeCount)])
    ),
    ("DevicePage", page(of: JSONSchema.reference("DeviceEntry"))),
    ("DeviceEntry", JSONSchema.object(device)),
    (
      "DeviceDetail",
      JSONSchema.object(
        [.needed("appId", JSONSchema.appID)] + device + [
          .needed(
            "consent",
            JSONSchema.object([
              .needed("notification", JSONSchema.optional(JSONSchema.flag)),
              .needed("ad", JSONSchema.optional(JSONSchema.flag)),
              .needed("nightAd", JSONSchema.optional(JSONSchema.flag)),
            ]), "Null: never asked."),
          .needed("groups", groupNames),
        ])
    ),
  ]

  private static let groupNames = JSONSchema.list(
    of: JSONSchema.object([.needed("groupSeq", JSONSchema.sequence), .needed("name", JSONSchema.anyText)]))

  private static let device: [JSONSchema.Property] =
    [
      .needed("device", JSONSchema.uuid),
      .needed("clientUid", JSONSchema.optional(JSONSchema.anyText), "Null for a guest."),
      .needed("clientName", JSONSchema.optional(JSONSchema.anyText)), .needed("badge", JSONSchema.badgeCount),
      .needed("pnsId", networks), .needed("environment", environments),
      .needed("psidPrefix", JSONSchema.anyText, "The first eight characters of the push token."),
      .needed("deviceId", JSONSchema.anyText),
      .needed(
        "identity", JSONSchema.optional(identities), "What its binding to the user was made with; null for a guest."),
      .needed("state", JSONSchema.words(["active", "unregistered", "token-refused"])),
    ]
    + ["platform", "model", "osVersion", "appVersion", "locale", "timeZone"].map { .needed($0, JSONSchema.anyText) }
    + [
      .needed(
        "registeredAt", JSONSchema.optional(JSONSchema.moment),
        "When it registered last; null for one that the file of another push server brought, until it does.")
    ]
    + ["boundAt", "createdAt"].map { .needed($0, JSONSchema.moment) }
    + [
      .needed(
        "quarantine",
        JSONSchema.optional(
          JSONSchema.object([
            .needed("reason", JSONSchema.anyText), .needed("seqno", JSONSchema.optional(JSONSchema.anyText)),
            .needed("at", JSONSchema.moment),
          ])), "Why and since when it is put aside; null when it is not.")
    ]
}
