internal import Domain
internal import HTTPServer
internal import Operations

/// Messages from device to device, and what allows them.
extension Endpoint {
  static let deviceMessages: [Endpoint] = [
    Endpoint(
      .post, "/v1/devices/{device}/messages", id: "sendFromDevice", in: .devices, "Send a message to another user",
      """
      To one user of the same app, at once, if the app allows it (`deviceSends`), so many a minute and device; a guest \
      may not. The body is that of a send without what a device may not decide. The message bears its sender: `from` in \
      its numbers, `sender` in the payload. While the app is paused it is refused as a conflict: a device does not wait.
      """, by: .authKey, parameters: [.idempotencyKey],
      body: Body(
        schema: "DeviceMessage",
        examples: [
          ("hello", #"{"audience":{"clientUids":["kim01"]},"alert":"Are you there?","badge":{"increment":1}}"#)
        ], bytes: Operations.Limits.deviceMessageBytes),
      answers: [
        Answer(
          202, "The message is stored and will be sent.", "Accepted",
          example: #"{"seqno":"106","state":"queued","targeted":1,"unknown":[]}"#)
      ], problems: [.unknownApp, .payloadTooLarge, .impossible, .conflict, .idempotencyConflict, .tooManyRequests],
      handler: .device(DeviceDoor.sendMessage))
  ]
}
