internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for a device's consents and its further tokens.
extension Endpoint {
  static let deviceConsent: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/consent", id: "showConsent", in: .devices, "Ask for the consents of the device",
      "Each with the time it was given or withdrawn; null while it was never asked.", by: .authKey,
      answers: [Answer(200, "The consents.", Consents.object, example: consents)],
      handler: .device(DeviceHandler.showConsents)),
    Endpoint(
      .put, "/v1/devices/{device}/consent", id: "setConsent", in: .devices, "Give or withdraw consents",
      """
      What is left out stays as it is. A device that never said anything gets every message but advertising (`kind` \
      `ad`); one that withdrew `notification` gets only what must go (`essential`).
      """, by: .authKey,
      body: Body(
        Consents.Change.object, examples: [("ads", #"{"ad":true,"nightAd":false}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(200, "The consents now.", Consents.object, example: consents)],
      handler: .device(DeviceHandler.setConsents)),
  ]

  static let deviceTokens: [Endpoint] = [
    Endpoint(
      .put, "/v1/devices/{device}/tokens/{kind}", id: "setToken", in: .devices, "Register a further push token",
      """
      A device has one token for alerts, its PSID, and may have one more of each other kind; those of Live Activities \
      are registered by activity. The last registration wins: a token belongs to one device. In `proof` and `strict`, \
      a guest's further tokens end when its device registers with the client key: set them again afterwards.
      """, by: .authKey,
      body: Body(
        FurtherToken.object,
        examples: [("voip", #"{"psid":"22fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(204, "The device has this token.")], problems: [.userMismatch, .notFound],
      handler: .device(DeviceHandler.setToken)
    ),
    Endpoint(
      .delete, "/v1/devices/{device}/tokens/{kind}", id: "endToken", in: .devices, "Unregister a further push token",
      "Doing it again changes nothing.", by: .authKey, answers: [Answer(204, "The device has no token of this kind.")],
      problems: [.notFound], handler: .device(DeviceHandler.endToken)),
    Endpoint(
      .put, "/v1/devices/{device}/activities/{activityId}", id: "setActivity", in: .devices,
      "Register the push token of a Live Activity",
      """
      The token that ActivityKit gave one activity on the device; registering it again replaces it. Of a device that \
      comes through FCM it is sent as `live_activity_token` beside its registration. A device has \
      \(Domain.Limits.activitiesPerDevice) activities at most: one more takes the place of the oldest. A token goes \
      when Apple says that it is dead, and 24 hours after it was registered last: no activity is longer on a screen.
      """, by: .authKey,
      body: Body(
        ActivityToken.object,
        examples: [
          (
            "order",
            #"{"psid":"22fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0","attributesType":"OrderAttributes"}"#
          )
        ],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(204, "The activity has this token.")], problems: [.userMismatch, .notFound],
      handler: .device(DeviceHandler.setActivity)),
    Endpoint(
      .delete, "/v1/devices/{device}/activities/{activityId}", id: "endActivity", in: .devices,
      "Unregister the push token of a Live Activity", "Doing it again changes nothing.", by: .authKey,
      answers: [Answer(204, "The device has no token of this activity.")], problems: [.notFound],
      handler: .device(DeviceHandler.endActivity)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let deviceConsentSchemas: [JSONTree.Member] = [
    Consents.Change.object.named, Consents.object.named, Consents.answer.named, FurtherToken.object.named,
    ActivityToken.object.named,
  ]

  private static let consents = """
    {"notification":null,"ad":{"given":true,"at":"2026-11-21T09:30:00.123Z"},\
    "nightAd":{"given":false,"at":"2026-11-21T09:30:00.123Z"}}
    """
}

extension DeviceHandler {
  func showConsents(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.find(try claim(request, parameters)), request, responder, Self.sendConsents)
  }

  /// Changes a device's consents, and answers with all of them. Those that the request omits stay unchanged.
  func setConsents(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let change = try Self.body(Consents.Change.object, request)
    perform(.setConsents(claim, change), request, responder, Self.sendConsents)
  }

  private static func sendConsents(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .found(let device, _, _) = answer else { return }
    responder.send(Consents.object, device.consents)
  }

  // MARK: Further tokens

  func setToken(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let kind = try Self.kind(parameters)
    let further = try Self.body(FurtherToken.object, request)
    // All further tokens are APNs tokens, in hexadecimal with letters of either case.
    guard let token = PushNetwork.apns.normalize(psid: further.psid) else {
      throw Problem(at: "/psid", "must be an APNs token in hex")
    }
    perform(.setToken(claim, kind, psid: token), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  func endToken(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.setToken(try claim(request, parameters), try Self.kind(parameters), psid: nil)
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  func setActivity(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let id = try Self.activityID(parameters)
    let given = try Self.body(ActivityToken.object, request)
    guard let token = PushNetwork.apns.normalize(psid: given.psid) else {
      throw Problem(at: "/psid", "must be an APNs token in hex")
    }
    let activity = ActivityName(id: id, attributesType: given.attributesType)
    perform(.setActivity(claim, activity, psid: token), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  func endActivity(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let activity = ActivityName(id: try Self.activityID(parameters))
    perform(.setActivity(claim, activity, psid: nil), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  private static func activityID(_ parameters: PathParameters) throws(Problem) -> String {
    let id = parameters["activityId"]
    guard id.isActivityID else {
      throw Problem(
        .notFound,
        "An activity's id has 1 to \(Domain.Limits.activityIDBytes) letters, digits and . _ ~ : - characters.")
    }
    return id
  }

  private static func kind(_ parameters: PathParameters) throws(Problem) -> TokenKind {
    guard let kind = TokenKind(further: parameters["kind"]) else {
      let names = TokenKind.further.map(\.name).joined(separator: ", ")
      throw Problem(.notFound, "There are these kinds of tokens: \(names).")
    }
    return kind
  }
}

private struct FurtherToken {
  var psid = ""

  static let object = JSONObject(
    "FurtherToken", from: FurtherToken(), [.required("psid", .token(of: .apns), \.psid, "The token, in hex.")])
}

private struct ActivityToken {
  var psid = ""
  var attributesType: String?

  static let object = JSONObject(
    "ActivityToken", from: ActivityToken(),
    [
      .required("psid", .token(of: .apns), \.psid, "The token of the activity, in hex."),
      .given(
        "attributesType", .text(upTo: Domain.Limits.nameBytes), \.attributesType,
        "The name of its attributes' type, so that a send can be for all activities of this type."),
    ])
}

extension Consents {
  static let object = JSONObject<Consents>(
    "Consents",
    [
      .always("notification", .orNull(answer.form), \.notification), .always("ad", .orNull(answer.form), \.ad),
      .always("nightAd", .orNull(answer.form), \.nightAd),
    ])

  fileprivate static let answer = JSONObject<Answer>(
    "ConsentAnswer",
    [
      .always("given", .flag, \.isGiven), .always("at", .moment, \.at, "When it was given or withdrawn."),
    ])
}

extension Consents.Change {
  static let object = JSONObject(
    "Consent", about: "What the user has agreed to; what is left out stays as it is.", from: Consents.Change(),
    [
      .given("notification", .flag, \.notification, "Notifications at all."), .given("ad", .flag, \.ad, "Advertising."),
      .given("nightAd", .flag, \.nightAd, "Advertising at night."),
    ])
}
