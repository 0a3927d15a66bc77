internal import Domain

/// Devices, their users, groups and badges.
extension Schemas {
  static let devices: [Node.Member] = [
    (
      "Registration",
      Schema.oneOf([Schema.reference("APNsRegistration"), Schema.reference("FCMRegistration")])
        .adding("description", "What a device says of itself.")
    ),
    ("APNsRegistration", registration(.apns)),
    ("FCMRegistration", registration(.fcm)),
    (
      "Consent",
      Schema.object(
        "What the user has agreed to; what is left out stays as it is.", isClosed: true,
        [
          .optional("notification", Schema.flag, "Notifications at all."),
          .optional("ad", Schema.flag, "Advertising."),
          .optional("nightAd", Schema.flag, "Advertising at night."),
        ])
    ),
    (
      "Consents",
      Schema.object([
        .needed("notification", consent), .needed("ad", consent), .needed("nightAd", consent),
      ])
    ),
    (
      "FurtherToken",
      Schema.object(isClosed: true, [.needed("psid", token(.apns), "The token, in hex.")])
    ),
    (
      "Registered",
      Schema.object([
        .needed("device", Schema.uuid, "Our id of the device: for every path about it."),
        .needed("authKey", Schema.anyText, "The device's own key. Former ones end when somebody vouches for its user."),
        .needed("badge", Schema.badgeCount, "The user's badge count."), user, bindingIdentity, awaitsPush,
      ])
    ),
    (
      "Device",
      Schema.object([
        .needed("device", Schema.uuid), .needed("pnsId", networks), .needed("environment", environments),
        .needed("psid", Schema.anyText, "The first eight characters of the push token."),
        .needed("badge", Schema.badgeCount), .needed("consent", Schema.reference("Consents")), user,
        bindingIdentity, awaitsPush,
      ])
    ),
    (
      "DeviceUser",
      Schema.object([
        .needed(
          "authKey", Schema.anyText, "The device's key from now on: former ones end when somebody vouches for its user."
        ),
        user, bindingIdentity, awaitsPush,
      ])
    ),
    (
      "Possession",
      Schema.object(
        isClosed: true,
        [
          .needed("seqno", Schema.sequence, "SEQNO of the push."),
          .needed("psid", Schema.text(upTo: Domain.Limits.psidBytes), "PSID: the token that it went to."),
          .needed("pushkey", Schema.anyText, "As it stands in the push."),
        ])
    ),
    (
      "User",
      Schema.object([
        .needed("clientUid", Schema.anyText, "CUID: login id, e-mail, phone number …"),
        .needed("clientName", Schema.anyText, "CNAME: the name to show; may be empty."),
      ])
    ),
    (
      "NamedUser",
      Schema.object(
        isClosed: true,
        [
          .needed("clientUid", clientUID), .optional("clientName", clientName),
          .optional("userProof", userProof, proof),
        ])
    ),
    (
      "GroupPage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([.needed("groupSeq", Schema.sequence, "GROUPSEQ."), .needed("name", Schema.anyText)]))),
        nextCursor,
      ])
    ),
    (
      "InboxPage",
      Schema.object([
        .needed(
          "items",
          Schema.list(
            of: Schema.object([
              .needed("seqno", Schema.sequence), .needed("sentAt", Schema.moment),
              .needed("endsAt", Schema.moment, "It leaves the inbox then."),
              .needed("readAt", Schema.optional(Schema.moment), "Null: unread."),
              .needed(
                "payload", Schema.optional(.object([("type", "object")])),
                "As the push shows it; null when a newer release wrote what this one cannot read."),
            ]))),
        .needed("unread", Schema.count, "How many of the newest 1000 entries are unread."),
        nextCursor,
      ])
    ),
    ("Badge", Schema.object([.needed("badge", Schema.badgeCount, "The badge count.")])),
    ("BadgeChange", Schema.object(isClosed: true, [.needed("badge", Schema.badge, "The new count.")])),
  ]

  // MARK: Parts

  private static let consent = Schema.optional(
    Schema.object([.needed("given", Schema.flag), .needed("at", Schema.moment, "When it was given or withdrawn.")]))
  private static let userProof = Schema.text(upTo: 2048)
  private static let proof = """
    Vouches for the user: by the app's own server, with the app's secret: the HMAC-SHA-256 of the clientUid in hex, \
    or a JSON Web Token (HS256) with sub and exp.
    """
  static let networks = Schema.words(PushNetwork.allCases.map(\.pnsID))
  static let environments = Schema.words(PushEnvironment.allCases.map(\.name))
  static let clientUID = Schema.text(upTo: Domain.Limits.clientUIDBytes)
  static let clientName = Schema.text(upTo: Domain.Limits.clientNameBytes, isEmptyAllowed: true)
  static let nextCursor = Schema.Property.needed(
    "nextCursor", Schema.optional(Schema.anyText), "For the next page; null on the last.")
  private static let user = Schema.Property.needed(
    "user", Schema.optional(Schema.reference("User")), "Null for a guest.")

  private static let bindingIdentity = Schema.Property.needed(
    "identity", Schema.optional(identities), "What its binding to the user was made with; null for a guest.")
  private static let awaitsPush = Schema.Property.needed(
    "awaitsPush", Schema.flag,
    "In `strict`: the user was vouched for, and is the device's when it brings back a push (`…/possession`).")

  /// The two networks differ in their tokens; APNS is meant when nothing is said.
  private static func registration(_ network: PushNetwork) -> Node {
    let name = Schema.constant(.text(network.pnsID))
    let about = "PNSID: the push network of the token."
    let attribute = Schema.text(upTo: Domain.Limits.attributeBytes)
    return Schema.object(
      isClosed: true,
      [
        .needed("appId", Schema.appID, "APP_ID: the app that the client key is for."),
        network == .apns ? .optional("pnsId", name, about) : .needed("pnsId", name, about),
        .optional("environment", environments, "Which of Apple's services issued the token; production by default."),
        .needed("psid", token(network), "PSID: the push token."),
        .needed(
          "deviceId", Schema.text(upTo: Domain.Limits.deviceIDBytes), "DEVICE_ID: what this installation calls itself."),
        .optional("clientUid", clientUID, "CUID: the user; `GUEST` means nobody. Absent: the user stays."),
        .optional("clientName", clientName, "CNAME: the user's name to show. Needs `clientUid`."),
        .optional("userProof", userProof, proof),
        .optional("platform", attribute), .optional("model", attribute), .optional("osVersion", attribute),
        .optional("appVersion", attribute), .optional("locale", attribute),
        .optional("timeZone", attribute, "IANA name; another one counts as the app's."),
        .optional("consent", Schema.reference("Consent")),
      ]
    ).adding(
      "dependentRequired", .object([("clientName", .texts(["clientUid"])), ("userProof", .texts(["clientUid"]))]))
  }

  private static func token(_ network: PushNetwork) -> Node {
    switch network {
    case .apns: Schema.text(matching: "^([0-9a-fA-F]{2}){1,\(Domain.Limits.psidBytes / 2)}$")
    case .fcm: Schema.text(matching: "^[!-~]{1,\(Domain.Limits.psidBytes)}$")
    }
  }
}
