internal import JSON
internal import Domain
internal import Operations

/// Lists and details of administration.
extension Schemas {
  static let lists: [JSONTree.Member] =
    [
      ("AppPage", page(of: JSONSchema.reference("App"))),
      (
        "NewApp",
        JSONSchema.object(
          isClosed: true,
          [
            .needed("appId", JSONSchema.appID), .needed("name", JSONSchema.text(upTo: 256)),
            .optional("timeZone", JSONSchema.timeZone, "IANA name; Asia/Seoul when absent."),
            .optional("identity", identities, "`proof` when absent. " + identity),
          ])
      ),
      (
        "AppCreated",
        JSONSchema.object(
          [
            .needed("appId", JSONSchema.appID), .needed("clientKey", JSONSchema.anyText),
            .needed("identity", identities),
          ])
      ),
      (
        "AppChange",
        JSONSchema.object(
          isClosed: true,
          [
            .optional("name", JSONSchema.text(upTo: 256)), .optional("timeZone", JSONSchema.timeZone, "IANA name."),
            .optional(
              "devicePolicy", devicePolicies,
              "Whether all devices of a user get its messages, or only the last registered one."),
            .optional(
              "deviceSends", JSONSchema.number(Operations.Limits.deviceSendsPerMinute),
              "Messages that one device may send to other users in a minute; 0: none."),
            .optional(
              "identity", identities, identity + " `upmc app policy` shows the secret that proofs are made with."),
            .optional(
              "unprovedBindings", JSONSchema.count,
              "For a stricter identity: how many devices may lose their user in 30 days, as it stands now."),
            .optional(
              "observedIdentity", JSONSchema.optional(identities),
              "A stricter one to try out: what it would refuse is counted."),
            .optional("keepsUserOnRefresh", JSONSchema.flag, keepsUserOnRefresh),
            .optional("confidentialTo", JSONSchema.words(["all", "proved"]), confidentialTo),
            .optional(
              "confidentialLanes", JSONSchema.list(of: JSONSchema.words(Lane.allCases.map(\.name))), confidentialLanes),
            .optional("confidentialSdkSends", JSONSchema.flag, confidentialSDK),
            .optional("tellsDevices", JSONSchema.flag, "A user's other devices get a push when there is a new one."),
            .optional(
              "approvalAbove", JSONSchema.optional(JSONSchema.number(Operations.Limits.approvalAbove)),
              "What a person sends to more devices, at once or within an hour, waits for a second one; null or 0: nothing does."
            ),
            .optional("badgeSync", JSONSchema.flag, "A user's other devices are told a new count by a silent push."),
            .optional("extension", JSONSchema.flag, ofExtension),
          ]
        ).adding("minProperties", .number(1))
      ),
      (
        "CredentialPage",
        page(
          of: JSONSchema.object([
            .needed("appId", JSONSchema.appID), .needed("pnsId", networks), .needed("kind", JSONSchema.anyText),
            .needed("updatedAt", JSONSchema.moment),
            .needed(
              "shown", .object([("type", "object")]), "Key id and team id; or topics, environments and `endsAt`."),
            .needed("check", credentialCheck, checkWords),
          ]))
      ),
      (
        "NewCredential",
        JSONSchema.object(
          "One of `apnsKey`, `apnsCertificate` and `fcmServiceAccount`.", isClosed: true,
          [
            .needed("appId", JSONSchema.appID),
            .optional(
              "apnsKey",
              JSONSchema.object(
                isClosed: true,
                [
                  .needed("pem", JSONSchema.givenText.adding("format", "p8"), "The .p8 file, as a text."),
                  .needed("keyId", appleID),
                  .needed("teamId", appleID),
                ])),
            .optional(
              "apnsCertificate",
              JSONSchema.object(
                isClosed: true,
                [
                  .needed(
                    "file", JSONSchema.givenText.adding("format", "push-certificate"),
                    "A .p12 archive or PEM, in base64."),
                  .optional("passphrase", JSONSchema.givenText),
                ])),
            .optional(
              "fcmServiceAccount",
              JSONSchema.object(
                isClosed: true,
                [
                  .needed(
                    "json", JSONSchema.givenText.adding([("minLength", .number(1)), ("format", "service-account")]),
                    "The service account's file, as a text."),
                  .optional(
                    "style", JSONSchema.words(Administration.FCMSettings.styles),
                    "`data`: the SDK shows the message; `notification`: Android does."),
                  .optional(
                    "platforms", JSONSchema.words(Administration.FCMSettings.platforms),
                    "`android`: iOS devices are reached by APNs only."),
                ])),
          ])
      ),
      (
        "CredentialSet",
        JSONSchema.object(
          "What may be shown of it, by its kind.",
          [
            .needed("appId", JSONSchema.appID), .needed("pnsId", networks),
            .optional("keyId", JSONSchema.anyText, "Of the key."),
            .optional("teamId", JSONSchema.anyText, "Of the team that an APNs key belongs to."),
            .optional("check", credentialCheck, checkWords),
            .optional("topics", JSONSchema.list(of: JSONSchema.anyText), "That an APNs certificate is for."),
            .optional("environments", JSONSchema.list(of: environments), "That it opens."),
            .optional("endsAt", JSONSchema.moment, "When an APNs certificate ends."),
            .optional("projectId", JSONSchema.anyText, "The Firebase project."),
            .optional("clientEmail", JSONSchema.anyText, "The service account."),
            .optional("style", JSONSchema.anyText), .optional("platforms", JSONSchema.anyText),
          ])
      ),
    ] + Endpoint.keySchemas + [
      ItemPage<AuditTrail.Entry>.object.named,
      ("MessagePage", page(of: message)),
      (
        "Explanation",
        JSONSchema.object([
          .needed("seqno", JSONSchema.sequence), .needed("clientUid", JSONSchema.anyText),
          .needed("state", JSONSchema.anyText),
          .needed("language", JSONSchema.words(Phrase.Language.allCases.map(\.rawValue))),
          .needed(
            "steps",
            JSONSchema.list(
              of: JSONSchema.object([
                .needed("code", JSONSchema.words(ExplanationService.Step.Code.allCases.map(\.rawValue))),
                .needed("at", JSONSchema.optional(JSONSchema.moment)),
                .needed("device", JSONSchema.optional(JSONSchema.uuid)),
                .needed("reason", JSONSchema.optional(JSONSchema.anyText), "In the network's own word, or ours."),
                .needed("text", JSONSchema.anyText),
                .needed("advice", JSONSchema.optional(JSONSchema.anyText), "What to do."),
              ]))),
        ])
      ),
    ]

  static func page(of item: JSONTree) -> JSONTree {
    JSONSchema.object([
      .needed("items", JSONSchema.list(of: item)),
      .needed(
        "nextCursor", JSONSchema.optional(JSONSchema.anyText), "For the next page; null on the last."),
    ])
  }

  static let roles = JSONSchema.words(Role.allCases.map(\.rawValue))

  /// The words of a message, where lists and reports show them.
  static let shownAlert = JSONSchema.Property.needed(
    "alert", .object([("type", .texts(["object", "string", "null"]))]),
    "As it was asked for; null when there is none, it is confidential, or the request is very large.")
  static let shownConfidential = JSONSchema.Property.optional(
    "confidential", JSONSchema.flag, "True: what it says is sealed, and shown to nobody.")

  private static let message = JSONSchema.object([
    .needed("seqno", JSONSchema.sequence), .needed("appId", JSONSchema.anyText),
    .needed("state", JSONSchema.words(MessageState.allCases.map(\.name))),
    .needed("lane", JSONSchema.words(Lane.allCases.map(\.name))),
    shownAlert, shownConfidential,
    .needed("createdAt", JSONSchema.moment), .needed("sendAt", JSONSchema.optional(JSONSchema.moment)),
    .needed("finishedAt", JSONSchema.optional(JSONSchema.moment)),
    .needed("apiKeyId", JSONSchema.optional(JSONSchema.sequence)),
    .needed("targeted", JSONSchema.optional(JSONSchema.count)),
    .needed("pending", JSONSchema.optional(JSONSchema.count)),
    .needed("accepted", JSONSchema.count), .needed("rejected", JSONSchema.count), .needed("expired", JSONSchema.count),
    .needed("cancelled", JSONSchema.count), .needed("skipped", JSONSchema.count), .needed("received", JSONSchema.count),
    .needed("read", JSONSchema.count), .optional("stateReason", JSONSchema.anyText),
    .optional("resendOf", JSONSchema.sequence),
  ])

  /// A key id or team id.
  private static let appleID = JSONSchema.text(matching: "^[A-Z0-9]{10}$")
}

extension Schemas {
  fileprivate static let credentialCheck = JSONSchema.optional(
    JSONSchema.object([
      .needed("at", JSONSchema.moment), .needed("result", JSONSchema.words(["works", "refused", "unreachable"])),
      .needed("word", JSONSchema.anyText, "The network's own, for example `BadDeviceToken` or `InvalidProviderToken`."),
    ]))
  fileprivate static let checkWords =
    "What Apple said when a server signed with a new key once and pushed to a token of nobody; null: not asked (yet)."
}
