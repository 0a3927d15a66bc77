internal import Domain
internal import HTTPServer
internal import Operations

/// Who uses a device.
extension Endpoint {
  static let deviceUser: [Endpoint] = [
    Endpoint(
      .put, "/v1/devices/{device}/user", id: "setUser", in: .devices, "Register the device's user",
      """
      Whatever the device had as a guest ends. `GUEST` is reserved and means nobody. If the app lets a user have one \
      device only, the user's other devices become guests in the same commit.
      """, by: .authKey,
      body: Body(
        schema: "NamedUser", examples: [("user", #"{"clientUid":"kim01","clientName":"Kim"}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [
        Answer(
          200, "The device belongs to this user.", "DeviceUser",
          example:
            #"{"authKey":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b.1.384c4d","user":{"clientUid":"kim01","clientName":"Kim"},"identity":"proof","awaitsPush":false}"#
        )
      ], problems: [.badUserProof], handler: .device(DeviceDoor.setUser)),
    Endpoint(
      .post, "/v1/devices/{device}/possession", id: "bringBackPush", in: .devices, "Bring back a push",
      """
      In apps that are `strict` a device shows that pushes reach it: with the silent push that follows the registration, or \
      with any other since. Only then is it the user's. A device that awaits none is answered as it stands.
      """, by: .authKey,
      body: Body(
        schema: "Possession",
        examples: [
          (
            "silent",
            """
            {"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"0123456789012345678901234567890123456789"}
            """
          )
        ], bytes: Operations.Limits.deviceCallBytes),
      answers: [
        Answer(
          200, "The device as it stands.", "DeviceUser",
          example:
            #"{"authKey":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b.1.384c4d","user":{"clientUid":"kim01","clientName":"Kim"},"identity":"strict","awaitsPush":false}"#
        )
      ], problems: [.impossible], handler: .device(DeviceDoor.bringBack)),
    Endpoint(
      .delete, "/v1/devices/{device}/user", id: "clearUser", in: .devices, "Unregister the device's user",
      "The device becomes a guest: it still gets what is sent to everyone.", by: .authKey,
      answers: [Answer(204, "The device belongs to nobody.")], handler: .device(DeviceDoor.clearUser)),
  ]
}
