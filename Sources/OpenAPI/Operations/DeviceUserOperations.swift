internal import Domain
internal import HTTPServer

/// Who uses a device.
extension APIOperation {
  static let deviceUser: [APIOperation] = [
    APIOperation(
      .put, "/v1/devices/{device}/user", id: "setUser", in: .devices, "Register the device's user",
      """
      Whatever the device had as a guest ends. `GUEST` is reserved and means nobody. If the app lets a user have one \
      device only, the user's other devices become guests in the same commit.
      """, by: .authKey,
      body: Body(schema: "NamedUser", examples: [("user", #"{"clientUid":"kim01","clientName":"Kim"}"#)]),
      answers: [
        Answer(
          200, "The device belongs to this user.", "DeviceUser",
          example: #"{"user":{"clientUid":"kim01","clientName":"Kim"}}"#)
      ], problems: [.badUserProof]),
    APIOperation(
      .delete, "/v1/devices/{device}/user", id: "clearUser", in: .devices, "Unregister the device's user",
      "The device becomes a guest: it still gets what is sent to everyone.", by: .authKey,
      answers: [Answer(204, "The device belongs to nobody.")]),
  ]
}
