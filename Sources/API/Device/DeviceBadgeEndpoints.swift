internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for the badge count of a device's user.
extension Endpoint {
  static let deviceBadge: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/badge", id: "showBadge", in: .devices, "Ask for the badge count",
      "The count is kept by the server, per user of the app (a guest's per device).", by: .authKey,
      answers: [Answer(200, "The count.", ShownBadge.object, example: #"{"badge":3}"#)],
      handler: .device(DeviceHandler.showBadge)),
    Endpoint(
      .put, "/v1/devices/{device}/badge", id: "setBadge", in: .devices, "Set the badge count",
      "The last write wins. To set it to 0, confirm a read with `badgeOption` `reset`.", by: .authKey,
      body: Body(
        BadgeChange.object, examples: [("seven", #"{"badge":7}"#)], bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(200, "The new count.", ShownBadge.object, example: #"{"badge":7}"#)],
      problems: [.badgeOutOfRange],
      handler: .device(DeviceHandler.setBadge)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let deviceBadgeSchemas: [JSONTree.Member] = [ShownBadge.object.named, BadgeChange.object.named]
}

extension DeviceHandler {
  func showBadge(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.badge(try claim(request, parameters)), request, responder, Self.sendBadge)
  }

  func setBadge(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let text = try Self.jsonBody(request)
    let change: BadgeChange
    do throws(JSONError) {
      change = try BadgeChange.object.read(text)
    } catch {
      throw Problem(confirming: error)
    }
    perform(.setBadge(claim, change.badge), request, responder, Self.sendBadge)
  }

  private static func sendBadge(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .badge(let badge) = answer else { return }
    responder.send(ShownBadge.object, ShownBadge(badge: badge))
  }
}

private struct ShownBadge {
  let badge: Int16

  static let object = JSONObject<ShownBadge>("Badge", [.always("badge", .badgeCount, \.badge, "The badge count.")])
}

private struct BadgeChange {
  var badge: Int16 = 0

  static let object = JSONObject(
    "BadgeChange", from: BadgeChange(),
    [.required("badge", .badge, \.badge, "The new count.", missing: Problem.badgeRange)])
}
