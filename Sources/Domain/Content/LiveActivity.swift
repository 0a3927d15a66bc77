package import JSON

/// The effect of a push on a Live Activity. Times are in seconds since 1970, as in Apple's payload.
///
/// Source: "Starting and updating Live Activities with ActivityKit push notifications".
package struct LiveActivity: Equatable, Sendable {
  /// Allowed range of times: up to the year 9999.
  package static let seconds: ClosedRange<Int64> = 0...253_402_300_799

  package enum Event: String, CaseIterable, Sendable {
    case start, update, end
  }

  package private(set) var event = Event.update
  /// For `update` and `end`: selects the device's activity with this id; nil for any. Not in the payload, because Apple
  /// identifies the activity by its token.
  package private(set) var activityID: String?
  /// Time of the update in seconds since 1970. Of two updates, the one with the higher timestamp is newer.
  package private(set) var timestamp: Int64 = 0
  /// The new state as a JSON object, which the app's own code decodes; nil only for `end`.
  package private(set) var contentState: [UInt8]?
  package private(set) var staleDate: Int64?
  /// For `end`: time at which the activity is removed from the screen; nil to let the system decide.
  package private(set) var dismissalDate: Int64?
  /// For `start`: the attributes type in the payload. Otherwise: selects activities on a device by their attributes
  /// type; nil for any.
  package private(set) var attributesType: String?
  package private(set) var attributes: [UInt8]?
  /// For `start` on iOS 18 and later: true to request an update token.
  package private(set) var inputPushToken = false
  /// For `start` on iOS 18 and later: Apple's id of the broadcast channel to follow; nil for none.
  package private(set) var inputPushChannel: String?

  package static let object = JSONObject(
    "LiveActivity",
    about: """
      What a push does to a Live Activity. Times are seconds since 1970. An `update` or `end` goes to all activities that \
      a device has registered, unless `activityId` or `attributesType` says which.
      """, from: LiveActivity(),
    [
      .required("event", .words(Event.allCases), \.event, missing: "is needed: start, update or end"),
      .required("timestamp", time, \.timestamp, missing: "is needed, in seconds since 1970"),
      .given(
        "activityId", .activityID, \.activityID,
        "For `update` and `end`: only the activity that the device has registered by this id."),
      .given("contentState", .object, \.contentState), .given("staleDate", time, \.staleDate),
      .given("dismissalDate", time, \.dismissalDate),
      .given(
        "attributesType", .contentName, \.attributesType,
        "Needed for `start`; for `update` and `end` only the activities that were registered with it."),
      .given("attributes", .object, \.attributes),
      .given("inputPushToken", .flag, \.inputPushToken),
      .given("inputPushChannel", .contentName, \.inputPushChannel),
    ])

  static let form = JSONForm(
    JSONSchema.reference("LiveActivity"), read: { (reader) throws(JSONError) in try LiveActivity.read(&reader) })
  private static let time = JSONForm<Int64>.number(seconds)

  static func read(_ reader: inout JSONReader) throws(JSONError) -> LiveActivity {
    let activity = try object.read(&reader)
    try activity.check()
    return activity
  }

  private func check() throws(JSONError) {
    if event != .end, contentState == nil { throw JSONError.contradiction("is needed").inside("contentState") }
    if event == .start {
      guard attributesType != nil else {
        throw JSONError.contradiction("is needed to start").inside("attributesType")
      }
      guard attributes != nil else { throw JSONError.contradiction("is needed to start").inside("attributes") }
      if inputPushToken, inputPushChannel != nil {
        throw JSONError.contradiction("cannot be had beside inputPushToken").inside("inputPushChannel")
      }
      if activityID != nil { throw JSONError.contradiction("is not for the event start").inside("activityId") }
    } else {
      for (name, isGiven) in [
        ("attributes", attributes != nil), ("inputPushToken", inputPushToken),
        ("inputPushChannel", inputPushChannel != nil),
      ] where isGiven { throw JSONError.contradiction("is only for the event start").inside(name) }
    }
    if event != .end, dismissalDate != nil {
      throw JSONError.contradiction("is only for the event end").inside("dismissalDate")
    }
  }

  /// The device's activities that the push is for; unrestricted for `start`, whose token belongs to no activity.
  package var selection: ActivitySelection {
    event == .start ? ActivitySelection() : ActivitySelection(id: activityID, attributesType: attributesType)
  }

  func write(to writer: inout JSONWriter) {
    writer.member("timestamp", timestamp)
    writer.member("event", event.rawValue)
    if let contentState { writer.member("content-state", raw: contentState) }
    if let staleDate { writer.member("stale-date", staleDate) }
    if let dismissalDate { writer.member("dismissal-date", dismissalDate) }
    if event == .start, let attributesType { writer.member("attributes-type", attributesType) }
    if let attributes { writer.member("attributes", raw: attributes) }
    if inputPushToken { writer.member("input-push-token", 1) }
    if let inputPushChannel { writer.member("input-push-channel", inputPushChannel) }
  }
}
