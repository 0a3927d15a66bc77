internal import Domain
internal import Operations

/// Apps, groups, quarantine; and the server itself.
extension Schemas {
  static let administration: [Node.Member] = [
    (
      "NewGroup",
      Schema.object(
        isClosed: true,
        [
          .needed("appId", Schema.appID), .needed("name", Schema.text(upTo: Domain.Limits.groupNameBytes)),
          .optional("parent", Schema.optional(Schema.reference("GroupSeq")), "The group above it; absent at the top."),
          .optional("joinable", Schema.flag, joinable),
        ])
    ),
    ("GroupCreated", Schema.object([.needed("groupSeq", Schema.sequence, "GROUPSEQ.")])),
    (
      "App",
      Schema.object([
        .needed("appId", Schema.appID), .needed("name", Schema.anyText),
        .needed("timeZone", Schema.anyText, "IANA name."), .needed("clientKey", Schema.anyText),
        .needed("devicePolicy", devicePolicies, "`single`: a user has one device, the last registered."),
        .needed("identity", identities, identity),
        .needed("observedIdentity", Schema.optional(identities), "A stricter one that is tried out."),
        .needed(
          "graceEndsAt", Schema.optional(Schema.moment),
          "Until then devices stay with users that nobody vouched for; null: there are none."),
        .needed("keepsUserOnRefresh", Schema.flag, keepsUserOnRefresh),
        .needed("confidentialTo", Schema.words(["all", "proved"]), confidentialTo),
        .needed("confidentialLanes", Schema.list(of: Schema.words(Lane.allCases.map(\.name))), confidentialLanes),
        .needed("confidentialSdkSends", Schema.flag, confidentialSDK),
        .needed("tellsDevices", Schema.flag, "A user's other devices get a push when there is a new one."),
        .needed("badgeSync", Schema.flag, "A user's other devices are told new counts."),
        .needed("deviceSends", Schema.count, "Messages that one device may send in a minute."),
        .needed(
          "approvalAbove", Schema.optional(Schema.count),
          "What an account sends to more devices than this waits for a second person; null: nothing does."),
        .needed("extension", Schema.flag, ofExtension),
        .optional(
          "extensionReports", Schema.flag,
          """
          False: the app's extension does not report; none of its last 1,000 accepted iOS alerts with mutable-content was \
          confirmed. Only where one app is asked for, and where enough is known.
          """),
        .needed("pausedReason", Schema.optional(Schema.anyText), "Why it is paused; null when it is not."),
      ])
    ),
    (
      "IdentityStanding",
      Schema.object([
        .needed("appId", Schema.appID), .needed("identity", identities, identity),
        .needed("observedIdentity", Schema.optional(identities)),
        .needed("graceEndsAt", Schema.optional(Schema.moment)),
        .needed(
          "unprovedBindings",
          Schema.object([
            .needed("proof", Schema.count, "Active devices that have a user by less than proof."),
            .needed("strict", Schema.count, "By less than strict."),
          ])),
        .needed(
          "unprovedRegistrations", Schema.count,
          "Devices of the last 30 days that named a user and had nobody to vouch for it."),
        .needed(
          "callsByAskedKeys", Schema.count,
          "Calls of the last 30 days that an AUTHKEY asked for by the PSID alone does not open in proof."),
        .needed(
          "guestsByNewToken", Schema.count,
          "Devices of users that became guests in the last 30 days: a new push token, and no key of their last registration."
        ),
      ])
    ),
    (
      "NewVoucher",
      Schema.object(
        isClosed: true,
        [
          .needed("appId", Schema.appID),
          .optional("expiresIn", duration(Operations.Limits.voucherSeconds), "PT15M by default."),
          .optional(
            "deviceId", Schema.text(upTo: Domain.Limits.deviceIDBytes), "DEVICE_ID: the only one that it is good for."),
        ])
    ),
    (
      "Voucher",
      Schema.object([
        .needed("appId", Schema.appID), .needed("clientUid", Schema.anyText),
        .needed("deviceId", Schema.optional(Schema.anyText)), .needed("expiresAt", Schema.moment),
      ])
    ),
    (
      "QuarantinePage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([
              .needed("device", Schema.uuid), .needed("clientUid", Schema.optional(Schema.anyText)),
              .needed("pnsId", networks), .needed("environment", environments),
              .needed("psidPrefix", Schema.anyText, "The first eight characters of the push token."),
              .needed("reason", Schema.anyText, "In the network's own word."),
              .needed("seqno", Schema.sequence, "The message that was refused."), .needed("at", Schema.moment),
            ]))), nextCursor,
      ])
    ),
    (
      "Restoration",
      Schema.oneOf([
        restoration("device", Schema.uuid, "This one."),
        restoration("since", Schema.moment, "Those put aside since."),
        restoration("all", Schema.constant(.flag(true)), "Everyone."),
      ])
    ),
    ("Restored", Schema.object([.needed("restored", Schema.count, "Devices that came back.")])),
  ]

  static let server: [Node.Member] = [
    ("Health", Schema.object([.needed("status", Schema.constant("ok"))])),
    ("Document", .object([("type", "object"), ("description", "An OpenAPI 3.1 document.")])),
    (
      "Readiness",
      Schema.object([
        .needed("status", Schema.words(["ok", "degraded"])),
        .needed("complaints", Schema.list(of: Schema.anyText), "What keeps pushes from leaving."),
        .needed("credentials", Schema.count), .needed("lastAcceptedAt", Schema.optional(Schema.moment)),
        .needed("overdueDeliveries", Schema.count), .needed("nodes", Schema.count),
      ])
    ),
    ("Text", .object([("type", "string"), ("description", "Plain text.")])),
    ("Page", .object([("type", "string"), ("description", "HTML.")])),
  ]

  static let ofExtension = """
    The app has a Notification Service Extension, which makes receipts on iOS: its alerts carry `mutable-content`, for which \
    alone iOS starts it.
    """

  static let devicePolicies = Schema.words([App.DevicePolicy.multi.name, App.DevicePolicy.single.name])

  static let identities = Schema.words(App.Identity.allCases.map(\.name))
  static let identity = """
    What it takes to call a device a user's. `proof`: the app's own server vouches for the user. `open`: the device's word. \
    `strict`: proof, and a push that the device brings back.
    """
  static let joinable = "Devices may join it by themselves. Absent: in apps that are open."
  static let keepsUserOnRefresh =
    "In `open` alone: a known DEVICE_ID with a new token keeps its user without a key, so it moves a user's pushes."
  static let confidentialTo =
    "Which devices confidential messages go to. `all` is for apps that are open; elsewhere it is `proved`."

  static let confidentialLanes = """
    Messages of these lanes are confidential without saying so. A new app has `urgent`, in which one-time codes go out.
    """
  static let confidentialSDK = "That holds for sends through the SDK's controllers too. False by default."

  private static func restoration(_ name: String, _ schema: Node, _ about: String) -> Node {
    Schema.object(isClosed: true, [.needed("appId", Schema.appID), .needed(name, schema, about)])
  }
}
