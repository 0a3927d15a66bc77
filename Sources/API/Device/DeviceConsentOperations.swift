internal import Domain
internal import HTTPServer
internal import Operations

/// Consents of the person at a device, and the device's further tokens.
extension Endpoint {
  static let deviceConsent: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/consent", id: "showConsent", in: .devices, "Ask for the consents of the device",
      "Each with the time it was given or withdrawn; null while it was never asked.", by: .authKey,
      answers: [Answer(200, "The consents.", "Consents", example: consents)], handler: .device(DeviceDoor.showConsents)),
    Endpoint(
      .put, "/v1/devices/{device}/consent", id: "setConsent", in: .devices, "Give or withdraw consents",
      """
      What is left out stays as it is. A device that never said anything gets every message but advertising (`kind` \
      `ad`); one that withdrew `notification` gets only what must go (`essential`).
      """, by: .authKey,
      body: Body(
        schema: "Consent", examples: [("ads", #"{"ad":true,"nightAd":false}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(200, "The consents now.", "Consents", example: consents)],
      handler: .device(DeviceDoor.setConsents)),
  ]

  static let deviceTokens: [Endpoint] = [
    Endpoint(
      .put, "/v1/devices/{device}/tokens/{kind}", id: "setToken", in: .devices, "Register a further push token",
      """
      A device has one token for alerts, its PSID, and may have one more of each other kind. The last registration wins: a \
      token belongs to one device.
      """, by: .authKey,
      body: Body(
        schema: "FurtherToken",
        examples: [("voip", #"{"psid":"22fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [Answer(204, "The device has this token.")], problems: [.notFound], handler: .device(DeviceDoor.setToken)
    ),
    Endpoint(
      .delete, "/v1/devices/{device}/tokens/{kind}", id: "endToken", in: .devices, "Unregister a further push token",
      "Doing it again changes nothing.", by: .authKey, answers: [Answer(204, "The device has no token of this kind.")],
      problems: [.notFound], handler: .device(DeviceDoor.endToken)),
  ]

  private static let consents = """
    {"notification":null,"ad":{"given":true,"at":"2026-11-21T09:30:00.123Z"},\
    "nightAd":{"given":false,"at":"2026-11-21T09:30:00.123Z"}}
    """
}
