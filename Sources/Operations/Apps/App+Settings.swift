internal import Domain
internal import JSON

/// Form of an app's settings, as shown and as written to the audit log.
extension App {
  static let settings: [JSONField<App>] =
    [
      .always("name", .anyText, \.name), .always("timeZone", .anyText, \.timeZone, "IANA name."),
      .always(
        "devicePolicy", .devicePolicy, \.devicePolicy, "`single`: a user has one device, the last registered."),
    ] + IdentityRules.fields.map { $0.of(\.identityRules) } + Confidentiality.fields.map { $0.of(\.confidentiality) }
    + [
      .always("badgeSync", .flag, \.syncsBadges, "New counts are sent to a user's other devices."),
      .always("deviceSends", .count, \.deviceSendsPerMinute, "Messages that one device may send in a minute."),
      .always(
        "approvalAbove", .orNull(.count), \.approvalAbove,
        "What an account sends to more devices than this waits for a second person; null: nothing does."),
      .always("extension", .flag, \.hasExtension, aboutExtension),
      .always("android", AndroidContent.shown.form, \.android, aboutAndroid),
    ]

  /// Form of the settings for the audit log, with `proofGeneration`, which the API does not show.
  static let audited = JSONObject<App>(
    "AppSettings", isNamed: false,
    settings + [.always("proofGeneration", .count, \.identityRules.proofGeneration)])

  static let aboutAndroid =
    "What Android devices are told of its messages where they say nothing else, as `android` of a send."

  static let aboutExtension = """
    The app has a Notification Service Extension, which makes receipts on iOS: its alerts carry `mutable-content`, for which \
    alone iOS starts it.
    """
}

extension App.IdentityRules {
  fileprivate static let fields: [JSONField<App.IdentityRules>] = [
    .always("identity", .identity, \.identity, about),
    .always("observedIdentity", .orNull(.identity), \.observed, "A stricter one that is tried out."),
    .always(
      "graceEndsAt", .orNull(.moment), \.graceEndsAt,
      "Until then devices stay with users that nobody vouched for; null: there are none."),
    .always("keepsUserOnRefresh", .flag, \.keepsUserOnRefresh, aboutRefresh),
    .always(
      "confidentialTo", .confidentialTo, { $0.keepsConfidentialToProved || $0.identity > .open }, aboutConfidential),
    .always("tellsDevices", .flag, \.tellsDevices, aboutTelling),
  ]

  static let about = """
    What it takes to call a device a user's. `proof`: the app's own server vouches for the user. `open`: the device's word. \
    `strict`: proof, and a push that the device brings back.
    """
  static let aboutRefresh =
    "In `open` alone: a known DEVICE_ID with a new token keeps its user without a key, so it moves a user's pushes."
  static let aboutConfidential =
    "Which devices confidential messages go to. `all` is for apps that are open; elsewhere it is `proved`."
  static let aboutTelling = "A user's other devices get a push when there is a new one."
}

extension App.Confidentiality {
  fileprivate static let fields: [JSONField<App.Confidentiality>] = [
    .always("confidentialLanes", .lanes, \.lanes, aboutLanes),
    .always("confidentialSdkSends", .flag, \.coversSDK, aboutSDK),
  ]

  static let aboutLanes = """
    Messages of these lanes are confidential without saying so. A new app has `urgent`, in which one-time codes go out.
    """
  static let aboutSDK = "That holds for sends through the SDK's controllers too. False by default."
}

extension JSONForm<Bool> {
  /// Form of the setting whether confidential messages are sent only to proved devices: `proved` for true, `all` for
  /// false.
  static let confidentialTo = JSONForm<String>.words(["all", "proved"]).mapped(
    by: { $0 == "proved" }, else: "is not known", written: { $0 ? "proved" : "all" })
}

extension JSONForm<Set<Lane>> {
  static let lanes = JSONForm<[Lane]>.list(of: .lane).mapped(
    by: { Set($0) }, else: "is not known", written: { lanes in Lane.allCases.filter(lanes.contains) })
}
