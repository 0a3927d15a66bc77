internal import Domain
internal import Operations

/// Lists and details of administration.
extension Schemas {
  static let lists: [Node.Member] =
    [
      ("AppPage", page(of: Schema.reference("App"))),
      (
        "NewApp",
        Schema.object(
          isClosed: true,
          [
            .needed("appId", Schema.appID), .needed("name", Schema.text(upTo: 256)),
            .optional("timeZone", Schema.timeZone, "IANA name; Asia/Seoul when absent."),
            .optional("identity", identities, "`proof` when absent. " + identity),
          ])
      ),
      (
        "AppCreated",
        Schema.object(
          [.needed("appId", Schema.appID), .needed("clientKey", Schema.anyText), .needed("identity", identities)])
      ),
      (
        "AppChange",
        Schema.object(
          isClosed: true,
          [
            .optional("name", Schema.text(upTo: 256)), .optional("timeZone", Schema.timeZone, "IANA name."),
            .optional(
              "devicePolicy", devicePolicies,
              "Whether all devices of a user get its messages, or only the last registered one."),
            .optional(
              "deviceSends", Schema.number(Operations.Limits.deviceSendsPerMinute),
              "Messages that one device may send to other users in a minute; 0: none."),
            .optional(
              "identity", identities, identity + " `upmc app policy` shows the secret that proofs are made with."),
            .optional(
              "unprovedBindings", Schema.count,
              "For a stricter identity: how many devices may lose their user in 30 days, as it stands now."),
            .optional(
              "observedIdentity", Schema.optional(identities),
              "A stricter one to try out: what it would refuse is counted."),
            .optional("keepsUserOnRefresh", Schema.flag, keepsUserOnRefresh),
            .optional("confidentialTo", Schema.words(["all", "proved"]), confidentialTo),
            .optional("confidentialLanes", Schema.list(of: Schema.words(Lane.allCases.map(\.name))), confidentialLanes),
            .optional("confidentialSdkSends", Schema.flag, confidentialSDK),
            .optional("tellsDevices", Schema.flag, "A user's other devices get a push when there is a new one."),
            .optional(
              "approvalAbove", Schema.optional(Schema.number(Operations.Limits.approvalAbove)),
              "What a person sends to more devices, at once or within an hour, waits for a second one; null or 0: nothing does."
            ),
            .optional("badgeSync", Schema.flag, "A user's other devices are told a new count by a silent push."),
            .optional("extension", Schema.flag, ofExtension),
          ]
        ).adding("minProperties", .number(1))
      ),
      (
        "CredentialPage",
        page(
          of: Schema.object([
            .needed("appId", Schema.appID), .needed("pnsId", networks), .needed("kind", Schema.anyText),
            .needed("updatedAt", Schema.moment),
            .needed(
              "shown", .object([("type", "object")]), "Key id and team id; or topics, environments and `endsAt`."),
            .needed("check", credentialCheck, checkWords),
          ]))
      ),
      (
        "NewCredential",
        Schema.object(
          "One of `apnsKey`, `apnsCertificate` and `fcmServiceAccount`.", isClosed: true,
          [
            .needed("appId", Schema.appID),
            .optional(
              "apnsKey",
              Schema.object(
                isClosed: true,
                [
                  .needed("pem", Schema.givenText.adding("format", "p8"), "The .p8 file, as a text."),
                  .needed("keyId", appleID),
                  .needed("teamId", appleID),
                ])),
            .optional(
              "apnsCertificate",
              Schema.object(
                isClosed: true,
                [
                  .needed(
                    "file", Schema.givenText.adding("format", "push-certificate"), "A .p12 archive or PEM, in base64."),
                  .optional("passphrase", Schema.givenText),
                ])),
            .optional(
              "fcmServiceAccount",
              Schema.object(
                isClosed: true,
                [
                  .needed(
                    "json", Schema.givenText.adding([("minLength", .number(1)), ("format", "service-account")]),
                    "The service account's file, as a text."),
                  .optional(
                    "style", Schema.words(Administration.FCMSettings.styles),
                    "`data`: the SDK shows the message; `notification`: Android does."),
                  .optional(
                    "platforms", Schema.words(Administration.FCMSettings.platforms),
                    "`android`: iOS devices are reached by APNs only."),
                ])),
          ])
      ),
      (
        "CredentialSet",
        Schema.object(
          "What may be shown of it, by its kind.",
          [
            .needed("appId", Schema.appID), .needed("pnsId", networks),
            .optional("keyId", Schema.anyText, "Of the key."),
            .optional("teamId", Schema.anyText, "Of the team that an APNs key belongs to."),
            .optional("check", credentialCheck, checkWords),
            .optional("topics", Schema.list(of: Schema.anyText), "That an APNs certificate is for."),
            .optional("environments", Schema.list(of: environments), "That it opens."),
            .optional("endsAt", Schema.moment, "When an APNs certificate ends."),
            .optional("projectId", Schema.anyText, "The Firebase project."),
            .optional("clientEmail", Schema.anyText, "The service account."),
            .optional("style", Schema.anyText), .optional("platforms", Schema.anyText),
          ])
      ),
      ("APIKeyPage", page(of: Schema.reference("APIKey"))),
      (
        "APIKey",
        Schema.object([
          .needed("apiKeyId", Schema.sequence), .needed("name", Schema.anyText), .needed("role", roles),
          .needed("appId", Schema.optional(Schema.anyText), "The only app it is for; null: all."),
          .needed("createdAt", Schema.moment), .needed("revokedAt", Schema.optional(Schema.moment)),
        ])
      ),
      (
        "NewAPIKey",
        Schema.object(
          isClosed: true,
          [
            .needed("role", roles), .optional("appId", Schema.optional(Schema.appID), "The only app it is for."),
            .optional("name", Schema.text(upTo: 256, isEmptyAllowed: true), "Whose it is."),
          ])
      ),
      ("APIKeyCreated", Schema.object([.needed("apiKey", Schema.anyText), .needed("role", roles)])),
      (
        "AuditPage",
        page(
          of: Schema.object([
            .needed("entry", Schema.sequence), .needed("at", Schema.moment), .needed("actor", Schema.anyText),
            .needed("by", Schema.words(["api-key", "account", "command-line"])),
            .needed("apiKey", Schema.optional(Schema.sequence)), .needed("account", Schema.optional(Schema.sequence)),
            .needed("role", Schema.anyText), .needed("origin", Schema.anyText, "The address it came from."),
            .needed("requestId", Schema.anyText), .needed("action", Schema.anyText),
            .needed("appId", Schema.optional(Schema.anyText)), .needed("object", Schema.anyText),
            .needed("before", .object([("type", .texts(["object", "null"]))])),
            .needed("after", .object([("type", .texts(["object", "null"]))])),
          ]))
      ),
      ("MessagePage", page(of: message)),
      (
        "Explanation",
        Schema.object([
          .needed("seqno", Schema.sequence), .needed("clientUid", Schema.anyText), .needed("state", Schema.anyText),
          .needed("language", Schema.words(Phrase.Language.allCases.map(\.rawValue))),
          .needed(
            "steps",
            Schema.list(
              of: Schema.object([
                .needed("code", Schema.words(Explaining.Step.Code.allCases.map(\.rawValue))),
                .needed("at", Schema.optional(Schema.moment)), .needed("device", Schema.optional(Schema.uuid)),
                .needed("reason", Schema.optional(Schema.anyText), "In the network's own word, or ours."),
                .needed("text", Schema.anyText), .needed("advice", Schema.optional(Schema.anyText), "What to do."),
              ]))),
        ])
      ),
    ]

  static func page(of item: Node) -> Node {
    Schema.object([
      .needed("items", Schema.list(of: item)),
      .needed("nextCursor", Schema.optional(Schema.anyText), "Ask for the next page with it; null: this is the last."),
    ])
  }

  static let roles = Schema.words(Role.allCases.map(\.rawValue))

  /// The words of a message, where lists and reports show them.
  static let shownAlert = Schema.Property.needed(
    "alert", .object([("type", .texts(["object", "string", "null"]))]),
    "As it was asked for; null when there is none, it is confidential, or the request is very large.")
  static let shownConfidential = Schema.Property.optional(
    "confidential", Schema.flag, "True: what it says is sealed, and shown to nobody.")

  private static let message = Schema.object([
    .needed("seqno", Schema.sequence), .needed("appId", Schema.anyText),
    .needed("state", Schema.words(MessageState.allCases.map(\.name))),
    .needed("lane", Schema.words(Lane.allCases.map(\.name))),
    shownAlert, shownConfidential,
    .needed("createdAt", Schema.moment), .needed("sendAt", Schema.optional(Schema.moment)),
    .needed("finishedAt", Schema.optional(Schema.moment)), .needed("apiKeyId", Schema.optional(Schema.sequence)),
    .needed("targeted", Schema.optional(Schema.count)), .needed("pending", Schema.optional(Schema.count)),
    .needed("accepted", Schema.count), .needed("rejected", Schema.count), .needed("expired", Schema.count),
    .needed("cancelled", Schema.count), .needed("skipped", Schema.count), .needed("received", Schema.count),
    .needed("read", Schema.count), .optional("stateReason", Schema.anyText), .optional("resendOf", Schema.sequence),
  ])

  /// A key id or team id.
  private static let appleID = Schema.text(matching: "^[A-Z0-9]{10}$")
}

extension Schemas {
  fileprivate static let credentialCheck = Schema.optional(
    Schema.object([
      .needed("at", Schema.moment), .needed("result", Schema.words(["works", "refused", "unreachable"])),
      .needed("word", Schema.anyText, "The network's own, for example `BadDeviceToken` or `InvalidProviderToken`."),
    ]))
  fileprivate static let checkWords =
    "What Apple said when a server signed with a new key once and pushed to a token of nobody; null: not asked (yet)."
}
