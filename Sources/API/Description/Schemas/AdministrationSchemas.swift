internal import JSON
internal import Domain
internal import Operations

/// Apps; and the server itself.
extension Schemas {
  static let administration: [JSONTree.Member] = [
    (
      "App",
      JSONSchema.object([
        .needed("appId", JSONSchema.appID), .needed("name", JSONSchema.anyText),
        .needed("timeZone", JSONSchema.anyText, "IANA name."), .needed("clientKey", JSONSchema.anyText),
        .needed("devicePolicy", devicePolicies, "`single`: a user has one device, the last registered."),
        .needed("identity", identities, identity),
        .needed("observedIdentity", JSONSchema.optional(identities), "A stricter one that is tried out."),
        .needed(
          "graceEndsAt", JSONSchema.optional(JSONSchema.moment),
          "Until then devices stay with users that nobody vouched for; null: there are none."),
        .needed("keepsUserOnRefresh", JSONSchema.flag, keepsUserOnRefresh),
        .needed("confidentialTo", JSONSchema.words(["all", "proved"]), confidentialTo),
        .needed(
          "confidentialLanes", JSONSchema.list(of: JSONSchema.words(Lane.allCases.map(\.name))), confidentialLanes),
        .needed("confidentialSdkSends", JSONSchema.flag, confidentialSDK),
        .needed("tellsDevices", JSONSchema.flag, "A user's other devices get a push when there is a new one."),
        .needed("badgeSync", JSONSchema.flag, "A user's other devices are told new counts."),
        .needed("deviceSends", JSONSchema.count, "Messages that one device may send in a minute."),
        .needed(
          "approvalAbove", JSONSchema.optional(JSONSchema.count),
          "What an account sends to more devices than this waits for a second person; null: nothing does."),
        .needed("extension", JSONSchema.flag, ofExtension),
        .optional(
          "extensionReports", JSONSchema.flag,
          """
          False: the app's extension does not report; none of its last 1,000 accepted iOS alerts with mutable-content was \
          confirmed. Only where one app is asked for, and where enough is known.
          """),
        .needed("pausedReason", JSONSchema.optional(JSONSchema.anyText), "Why it is paused; null when it is not."),
      ])
    ),
    (
      "IdentityStanding",
      JSONSchema.object([
        .needed("appId", JSONSchema.appID), .needed("identity", identities, identity),
        .needed("observedIdentity", JSONSchema.optional(identities)),
        .needed("graceEndsAt", JSONSchema.optional(JSONSchema.moment)),
        .needed(
          "unprovedBindings",
          JSONSchema.object([
            .needed("proof", JSONSchema.count, "Active devices that have a user by less than proof."),
            .needed("strict", JSONSchema.count, "By less than strict."),
          ])),
        .needed(
          "unprovedRegistrations", JSONSchema.count,
          "Devices of the last 30 days that named a user and had nobody to vouch for it."),
        .needed(
          "callsByAskedKeys", JSONSchema.count,
          "Calls of the last 30 days that an AUTHKEY asked for by the PSID alone does not open in proof."),
        .needed(
          "guestsByNewToken", JSONSchema.count,
          "Devices of users that became guests in the last 30 days: a new push token, and no key of their last registration."
        ),
      ])
    ),
    (
      "NewVoucher",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("appId", JSONSchema.appID),
          .optional("expiresIn", duration(Operations.Limits.voucherSeconds), "PT15M by default."),
          .optional(
            "deviceId", JSONSchema.text(upTo: Domain.Limits.deviceIDBytes),
            "DEVICE_ID: the only one that it is good for."),
        ])
    ),
    (
      "Voucher",
      JSONSchema.object([
        .needed("appId", JSONSchema.appID), .needed("clientUid", JSONSchema.anyText),
        .needed("deviceId", JSONSchema.optional(JSONSchema.anyText)), .needed("expiresAt", JSONSchema.moment),
      ])
    ),
  ]

  static let server: [JSONTree.Member] = [
    ("Health", JSONSchema.object([.needed("status", JSONSchema.constant("ok"))])),
    ("Document", .object([("type", "object"), ("description", "An OpenAPI 3.1 document.")])),
    (
      "Readiness",
      JSONSchema.object([
        .needed("status", JSONSchema.words(["ok", "degraded"])),
        .needed("complaints", JSONSchema.list(of: JSONSchema.anyText), "What keeps pushes from leaving."),
        .needed("credentials", JSONSchema.count), .needed("lastAcceptedAt", JSONSchema.optional(JSONSchema.moment)),
        .needed("overdueDeliveries", JSONSchema.count), .needed("nodes", JSONSchema.count),
      ])
    ),
    ("Text", .object([("type", "string"), ("description", "Plain text.")])),
    ("Page", .object([("type", "string"), ("description", "HTML.")])),
  ]

  static let ofExtension = """
    The app has a Notification Service Extension, which makes receipts on iOS: its alerts carry `mutable-content`, for which \
    alone iOS starts it.
    """

  static let devicePolicies = JSONSchema.words([App.DevicePolicy.multi.name, App.DevicePolicy.single.name])

  static let identities = JSONSchema.words(App.Identity.allCases.map(\.name))
  static let identity = """
    What it takes to call a device a user's. `proof`: the app's own server vouches for the user. `open`: the device's word. \
    `strict`: proof, and a push that the device brings back.
    """
  static let keepsUserOnRefresh =
    "In `open` alone: a known DEVICE_ID with a new token keeps its user without a key, so it moves a user's pushes."
  static let confidentialTo =
    "Which devices confidential messages go to. `all` is for apps that are open; elsewhere it is `proved`."

  static let confidentialLanes = """
    Messages of these lanes are confidential without saying so. A new app has `urgent`, in which one-time codes go out.
    """
  static let confidentialSDK = "That holds for sends through the SDK's controllers too. False by default."
}
