package import JSON

/// The storage of a channel's latest update for offline devices: Apple's `message-storage-policy`, which cannot change
/// during a channel's lifetime. The raw values are stored in the database.
package enum ChannelStorage: Int16, CaseIterable, Sendable {
  /// Only online devices receive updates; in return Apple allows more updates.
  case none = 0
  /// APNs stores the latest update for up to 8 hours.
  case latest = 1

  package var name: String { self == .none ? "none" : "latest" }
}

/// An update on a broadcast channel: the new state of the Live Activities that follow it.
///
/// Source: "Sending broadcast push notification requests to APNs".
package struct ChannelUpdate: Equatable, Sendable {
  package private(set) var activity = LiveActivity()
  private(set) var alert: Alert?
  private(set) var sound: NotificationSound?
  private(set) var relevanceScore: JSONNumber?
  package private(set) var priority = PushPriority.immediate
  /// Time in seconds after which the update is not published any more. If the channel stores updates, APNs stores it
  /// until then.
  package private(set) var expiresInSeconds = Domain.Limits.channelSeconds.upperBound

  package static let object = JSONObject(
    "ChannelUpdate",
    about: """
      The new state of the Live Activities that follow a channel: `update` or `end`, never `start`. A payload has at most \
      \(Domain.Limits.broadcastPayloadBytes) bytes.
      """, from: ChannelUpdate(),
    [
      .required(
        "liveActivity", LiveActivity.form, \.activity, missing: "is needed: {\"event\":\"update\",\"timestamp\":…}"),
      .given("alert", .alert, \.alert), .given("sound", .sound, \.sound),
      .given("relevanceScore", .number, \.relevanceScore),
      .given(
        "priority", priorityForm, \.priority,
        "10 at once (default), 5 with regard to the battery, which counts less against Apple's budget."),
      .given(
        "expiresIn", .seconds(Domain.Limits.channelSeconds), \.expiresInSeconds,
        "It is neither published nor kept later than this; 8 hours by default."),
    ])

  private static let priorityForm = JSONForm<Int64>.number(1...10).described(
    .object([("type", "integer"), ("enum", .list([.number(10), .number(5)]))])
  ).mapped(
    by: { number in [PushPriority.immediate, .considerate].first { Int64($0.rawValue) == number } },
    else: "must be 10 (at once) or 5 (with regard to the battery)", written: { Int64($0.rawValue) })

  /// Returns the request body for APNs.
  /// - Throws: `.impossible` for the first member that a channel update cannot have: the event `start`, a selection of
  ///   activities, or a sound without an alert; `.payloadTooLarge` above `broadcastPayloadBytes`.
  package func payload() throws(Problem) -> [UInt8] {
    guard activity.event != .start else {
      throw Problem(
        .impossible, at: "/liveActivity/event",
        "must be update or end: an activity is started on each device, by a message with inputPushChannel")
    }
    guard activity.selection == ActivitySelection() else {
      throw Problem(
        .impossible, at: "/liveActivity", "reaches all that follow the channel: activityId and attributesType name none"
      )
    }
    guard sound == nil || alert != nil else { throw Problem(.impossible, at: "/sound", "needs an alert") }
    var request = MessageRequest()
    request.content.pushType = .liveactivity
    request.content.liveActivity = activity
    request.content.sound = sound
    request.content.relevanceScore = relevanceScore
    let payload = PayloadWriter.write(request, alert: alert, seqno: "", sendDate: "")
    guard payload.count <= Domain.Limits.broadcastPayloadBytes else {
      throw Problem(
        .payloadTooLarge,
        "The payload would have \(payload.count) bytes; a channel takes \(Domain.Limits.broadcastPayloadBytes).")
    }
    return payload
  }
}

extension PushMessage {
  /// Creates the push that publishes an update on a channel. It belongs to no message, so its number is random and
  /// negative.
  /// - Parameters:
  ///   - payload: the result of `ChannelUpdate.payload`.
  ///   - channel: Apple's id of the channel.
  ///   - isKept: true if APNs stores the update for offline devices, as the channel's storage says.
  package static func broadcast(
    _ payload: [UInt8], on channel: String, of appID: String, priority: PushPriority, isKept: Bool,
    expiresAtSeconds: Int64, pushkeys: PushKeyring
  ) -> PushMessage {
    PushMessage(
      seqno: .ofNoMessage(),
      headers: PushHeaders(appID: appID, channel: channel, priority: priority, isKept: isKept),
      template: PayloadTemplate(broadcast: payload), pushkeys: pushkeys, lane: .normal,
      expiresAtSeconds: expiresAtSeconds, onUnknown: .resend)
  }
}
