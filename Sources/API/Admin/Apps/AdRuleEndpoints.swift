internal import JSON
internal import Operations
internal import Domain
internal import HTTPServer

/// Endpoints for an app's advertising rules.
extension Endpoint {
  static let adRules: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/apps/{appId}/ad-rules", id: "showAdRules", in: .administration,
      "Ask what ads of an app must keep to", "Messages of the kind `ad`.",
      by: .permission(.viewMessages),
      answers: [Answer(200, "The rules.", AdvertisingRules.Entry.object, example: example)], problems: [.unknownApp],
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
        AdvertisingRules.Change.object,
        examples: [
          ("all", #"{"label":"(광고)","optOut":"무료수신거부","night":{"from":"21:00","to":"08:00"}}"#),
          ("any hour", #"{"night":null}"#),
        ]),
      answers: [Answer(200, "The rules now.", AdvertisingRules.Entry.object, example: example)],
      problems: [.unknownApp, .impossible],
      handler: .whole(AdminCall.changeAdRules)),
  ]

  private static let example = """
    {"appId":"com.example.bank","label":"(광고)","optOut":"무료수신거부","night":{"from":"21:00:00","to":"08:00:00"}}
    """

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let adRuleSchemas: [JSONTree.Member] = [
    AdvertisingRules.Entry.object.named, AdvertisingRules.Change.object.named, AdvertisingRules.nightSchema,
  ]
}

extension AdminCall {
  fileprivate func adRules() throws(Problem) -> Response {
    .json(.ok, try AdvertisingRules.show(parameters["appId"], by: caller, on: connection))
  }

  fileprivate func changeAdRules() throws(Problem) -> Response {
    let change = try body(AdvertisingRules.Change.object)
    return .json(.ok, try AdvertisingRules.change(change, of: parameters["appId"], by: caller, on: connection))
  }
}
