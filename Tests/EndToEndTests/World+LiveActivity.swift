import Testing

/// What tests of Live Activities need of the world.
extension World {
  /// Registers an activity of a device that has just been registered.
  func addActivity(_ id: String, token: String, of device: Reply) throws {
    let reply = try client.call(
      "PUT", "/v1/devices/\(device.string("device") ?? "")/activities/\(id)", bearer: device.string("authKey"),
      #"{"psid":"\#(token)"}"#)
    #expect(reply.status == 204, "\(reply.text)")
  }

  /// Sends an event to the activities of `kim`, and waits until the message is over.
  /// - Parameters:
  ///   - state: the number that is shown, and the event's timestamp.
  ///   - id: one activity; nil for all.
  func sendActivity(_ event: String, _ state: Int, to id: String? = nil) throws -> Reply {
    let activity = id.map { #","activityId":"\#($0)""# } ?? ""
    let sent = try client.call(
      "POST", "/v1/admin/messages", bearer: apiKey,
      """
      {"appId":"\(Self.appID)","audience":{"clientUids":["kim"]},
       "liveActivity":{"event":"\(event)","timestamp":\(state),"contentState":{"n":\(state)}\(activity)}}
      """)
    return try finished(try #require(sent.string("seqno"), "\(sent.text)"))
  }
}
