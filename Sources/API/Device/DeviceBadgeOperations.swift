internal import Domain
internal import HTTPServer
internal import Operations

/// The badge count of a device's user.
extension Endpoint {
  static let deviceBadge: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/badge", id: "showBadge", in: .devices, "Ask for the badge count",
      "The count is kept by the server, per user of the app (a guest's per device).", by: .authKey,
      answers: [Answer(200, "The count.", "Badge", example: #"{"badge":3}"#)], handler: .device(DeviceDoor.showBadge)),
    Endpoint(
      .put, "/v1/devices/{device}/badge", id: "setBadge", in: .devices, "Set the badge count",
      "The last write wins. To set it to 0, confirm a read with `badgeOption` `reset`.", by: .authKey,
      body: Body(
        schema: "BadgeChange", examples: [("seven", #"{"badge":7}"#)], bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(200, "The new count.", "Badge", example: #"{"badge":7}"#)], problems: [.badgeOutOfRange],
      handler: .device(DeviceDoor.setBadge)),
  ]
}
