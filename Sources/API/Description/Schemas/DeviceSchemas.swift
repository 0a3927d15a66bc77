internal import JSON
internal import Domain

/// Devices, their users, groups and badges.
extension Schemas {
  static let devices: [JSONTree.Member] = [
    (
      "Registration",
      JSONSchema.oneOf([JSONSchema.reference("APNsRegistration"), JSONSchema.reference("FCMRegistration")])
        .adding("description", "What a device says of itself.")
    ),
    ("APNsRegistration", registration(.apns)),
    ("FCMRegistration", registration(.fcm)),
    (
      "Consent",
      JSONSchema.object(
        "What the user has agreed to; what is left out stays as it is.", isClosed: true,
        [
          .optional("notification", JSONSchema.flag, "Notifications at all."),
          .optional("ad", JSONSchema.flag, "Advertising."),
          .optional("nightAd", JSONSchema.flag, "Advertising at night."),
        ])
    ),
    (
      "Consents",
      JSONSchema.object([
        .needed("notification", consent), .needed("ad", consent), .needed("nightAd", consent),
      ])
    ),
    (
      "FurtherToken",
      JSONSchema.object(isClosed: true, [.needed("psid", token(.apns), "The token, in hex.")])
    ),
    (
      "Registered",
      JSONSchema.object([
        .needed("device", JSONSchema.uuid, "Our id of the device: for every path about it."),
        .needed(
          "authKey", JSONSchema.anyText, "The device's own key. Former ones end when somebody vouches for its user."),
        .needed("badge", JSONSchema.badgeCount, "The user's badge count."), user, bindingIdentity, awaitsPush,
      ])
    ),
    (
      "Device",
      JSONSchema.object([
        .needed("device", JSONSchema.uuid), .needed("pnsId", networks), .needed("environment", environments),
        .needed("psid", JSONSchema.anyText, "The first eight characters of the push token."),
        .needed("badge", JSONSchema.badgeCount), .needed("consent", JSONSchema.reference("Consents")), user,
        bindingIdentity, awaitsPush,
      ])
    ),
    (
      "DeviceUser",
      JSONSchema.object([
        .needed(
          "authKey", JSONSchema.anyText,
          "The device's key from now on: former ones end when somebody vouches for its user."
        ),
        user, bindingIdentity, awaitsPush,
      ])
    ),
    (
      "Possession",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("seqno", JSONSchema.sequence, "SEQNO of the push."),
          .needed("psid", JSONSchema.text(upTo: Domain.Limits.psidBytes), "PSID: the token that it went to."),
          .needed("pushkey", JSONSchema.anyText, "As it stands in the push."),
        ])
    ),
    (
      "User",
      JSONSchema.object([
        .needed("clientUid", JSONSchema.anyText, "CUID: login id, e-mail, phone number …"),
        .needed("clientName", JSONSchema.anyText, "CNAME: the name to show; may be empty."),
      ])
    ),
    (
      "NamedUser",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("clientUid", clientUID), .optional("clientName", clientName),
          .optional("userProof", userProof, proof),
        ])
    ),
    (
      "GroupPage",
      JSONSchema.object([
        .needed(
          "items",
          JSONSchema.list(
            of: JSONSchema.object([
              .needed("groupSeq", JSONSchema.sequence, "GROUPSEQ."), .needed("name", JSONSchema.anyText),
            ]))),
        nextCursor,
      ])
    ),
    (
      "InboxPage",
      JSONSchema.object([
        .needed(
          "items",
          JSONSchema.list(
            of: JSONSchema.object([
              .needed("seqno", JSONSchema.sequence), .needed("sentAt", JSONSchema.moment),
              .needed("endsAt", JSONSchema.moment, "It leaves the inbox then."),
              .needed("readAt", JSONSchema.optional(JSONSchema.moment), "Null: unread."),
              .needed(
                "payload", JSONSchema.optional(.object([("type", "object")])),
                "As the push shows it; null when a newer release wrote what this one cannot read."),
            ]))),
        .needed("unread", JSONSchema.count, "How many of the newest 1000 entries are unread."),
        nextCursor,
      ])
    ),
    ("Badge", JSONSchema.object([.needed("badge", JSONSchema.badgeCount, "The badge count.")])),
    ("BadgeChange", JSONSchema.object(isClosed: true, [.needed("badge", JSONSchema.badge, "The new count.")])),
  ]

  // MARK: Parts

  private static let consent = JSONSchema.optional(
    JSONSchema.object([
      .needed("given", JSONSchema.flag), .needed("at", JSONSchema.moment, "When it was given or withdrawn."),
    ]))
  private static let userProof = JSONSchema.text(upTo: 2048)
  private static let proof = """
    Vouches for the user: by the app's own server, with the app's secret: the HMAC-SHA-256 of the clientUid in hex, \
    or a JSON Web Token (HS256) with sub and exp.
    """
  static let networks = JSONSchema.words(PushNetwork.allCases.map(\.pnsID))
  static let environments = JSONSchema.words(PushEnvironment.allCases.map(\.name))
  static let clientUID = JSONSchema.text(upTo: Domain.Limits.clientUIDBytes)
  static let clientName = JSONSchema.text(upTo: Domain.Limits.clientNameBytes, isEmptyAllowed: true)
  static let nextCursor = JSONSchema.Property.needed(
    "nextCursor", JSONSchema.optional(JSONSchema.anyText), "For the next page; null on the last.")
  private static let user = JSONSchema.Property.needed(
    "user", JSONSchema.optional(JSONSchema.reference("User")), "Null for a guest.")

  private static let bindingIdentity = JSONSchema.Property.needed(
    "identity", JSONSchema.optional(identities), "What its binding to the user was made with; null for a guest.")
  private static let awaitsPush = JSONSchema.Property.needed(
    "awaitsPush", JSONSchema.flag,
    "In `strict`: the user was vouched for, and is the device's when it brings back a push (`…/possession`).")

  /// The two networks differ in their tokens; APNS is meant when nothing is said.
  private static func registration(_ network: PushNetwork) -> JSONTree {
    let name = JSONSchema.constant(.text(network.pnsID))
    let about = "PNSID: the push network of the token."
    let attribute = JSONSchema.text(upTo: Domain.Limits.attributeBytes)
    return JSONSchema.object(
      isClosed: true,
      [
        .needed("appId", JSONSchema.appID, "APP_ID: the app that the client key is for."),
        network == .apns ? .optional("pnsId", name, about) : .needed("pnsId", name, about),
        .optional("environment", environments, "Which of Apple's services issued the token; production by default."),
        .needed("psid", token(network), "PSID: the push token."),
        .needed(
          "deviceId", JSONSchema.text(upTo: Domain.Limits.deviceIDBytes),
          "DEVICE_ID: what this installation calls itself."),
        .optional("clientUid", clientUID, "CUID: the user; `GUEST` means nobody. Absent: the user stays."),
        .optional("clientName", clientName, "CNAME: the user's name to show. Needs `clientUid`."),
        .optional("userProof", userProof, proof),
        .optional("platform", attribute), .optional("model", attribute), .optional("osVersion", attribute),
        .optional("appVersion", attribute), .optional("locale", attribute),
        .optional("timeZone", attribute, "IANA name; another one counts as the app's."),
        .optional("consent", JSONSchema.reference("Consent")),
      ]
    ).adding(
      "dependentRequired", .object([("clientName", .texts(["clientUid"])), ("userProof", .texts(["clientUid"]))]))
  }

  private static func token(_ network: PushNetwork) -> JSONTree {
    switch network {
    case .apns: JSONSchema.text(matching: "^([0-9a-fA-F]{2}){1,\(Domain.Limits.psidBytes / 2)}$")
    case .fcm: JSONSchema.text(matching: "^[!-~]{1,\(Domain.Limits.psidBytes)}$")
    }
  }
}
