internal import JSON
internal import Operations
internal import Domain
internal import HTTPServer

/// What an app asks of its ads.
extension Endpoint {
  static let adRules: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/apps/{appId}/ad-rules", id: "showAdRules", in: .administration,
      "Ask what ads of an app must keep to", "Messages of the kind `ad`.",
      by: .permission(.viewMessages),
      answers: [Answer(200, "The rules.", "AdRules", example: example)], problems: [.unknownApp],
      handler: .whole(AdminCall.adRules)),
    Endpoint(
      .put, "/v1/admin/apps/{appId}/ad-rules", id: "changeAdRules", in: .administration,
      "Say what ads of an app must keep to",
      """
      What is left out stays. At night, by each device's own clock, an ad waits until the morning, unless the device gave \
      consent to ads at night (`nightAd`); nothing is dropped. An ad without the label, or without the words about \
      refusing more, is refused when it is sent.
      """,
      by: .permission(.manageApps),
      body: Body(
        schema: "AdRuleChange",
        examples: [
          ("all", #"{"label":"(광고)","optOut":"무료수신거부","night":{"from":"21:00","to":"08:00"}}"#),
          ("any hour", #"{"night":null}"#),
        ]),
      answers: [Answer(200, "The rules now.", "AdRules", example: example)], problems: [.unknownApp, .impossible],
      handler: .whole(AdminCall.changeAdRules)),
  ]

  private static let example = """
    {"appId":"com.example.bank","label":"(광고)","optOut":"무료수신거부","night":{"from":"21:00:00","to":"08:00:00"}}
    """
}

extension Schemas {
  static let adRules: [JSONTree.Member] = [
    (
      "AdRules",
      JSONSchema.object([
        .needed("appId", JSONSchema.appID),
        .needed("label", JSONSchema.anyText, "What every ad begins with; empty: nothing."),
        .needed("optOut", JSONSchema.anyText, "What every ad must say; empty: nothing."),
        .needed("night", JSONSchema.optional(JSONSchema.reference("AdNight")), "Null: ads go at any hour."),
      ])
    ),
    (
      "AdRuleChange",
      JSONSchema.object(
        isClosed: true,
        [
          .optional("label", JSONSchema.text(upTo: Domain.Limits.adLabelBytes, isEmptyAllowed: true)),
          .optional("optOut", JSONSchema.text(upTo: Domain.Limits.adOptOutBytes, isEmptyAllowed: true)),
          .optional("night", JSONSchema.optional(JSONSchema.reference("AdNight"))),
        ]
      ).adding("minProperties", .number(1))
    ),
    (
      "AdNight",
      JSONSchema.object(
        "From the evening to the morning, by the device's clock.", isClosed: true,
        [.needed("from", time), .needed("to", time)])
    ),
  ]

  private static let time = JSONSchema.text(matching: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")
}
