/// The headers that all recipients of a message share: APNs headers, and FCM's counterparts.
package struct PushHeaders: Equatable, Sendable {
  /// Bundle identifier, followed by the push type's suffix unless the push goes to a channel.
  package let topic: String
  package let pushType: PushType
  package let priority: PushPriority
  /// Collapse id: a later push with the same value replaces this one on the screen. 1 to 64 bytes; empty for a channel.
  package let collapseID: String
  /// False if APNs should try only once and store nothing for an offline device. For a channel: true if it stores the
  /// update.
  package let isKeptForDevice: Bool
  /// FCM's fields for Android devices.
  package let android: AndroidContent
  /// Apple's id of the broadcast channel to publish on; nil if the push goes to devices.
  package let channel: String?

  package init(
    appID: String, _ pushType: PushType, priority: PushPriority? = nil, collapseID: String,
    isKeptForDevice: Bool? = nil, android: AndroidContent = AndroidContent()
  ) {
    self.android = android
    channel = nil
    topic = appID + pushType.topicSuffix
    self.pushType = pushType
    self.priority = priority ?? pushType.priorities[0]
    self.collapseID = collapseID
    self.isKeptForDevice = isKeptForDevice ?? pushType.isKeptForDevice
  }

  /// Creates headers for publishing on a broadcast channel of an app.
  init(appID: String, channel: String, priority: PushPriority, isKept: Bool) {
    // For channels, Apple requires the bare bundle identifier, without a suffix.
    topic = appID
    pushType = .liveactivity
    self.priority = priority
    collapseID = ""
    isKeptForDevice = isKept
    android = AndroidContent()
    self.channel = channel
  }

  package init(_ request: MessageRequest, appID: String, seqno: Seqno) {
    let content = request.content
    // The collapse id defaults to the SEQNO, so that a repeated submission replaces the first instead of being shown
    // twice.
    self.init(
      appID: appID, content.pushType, priority: content.priority, collapseID: content.collapseID ?? String(seqno),
      isKeptForDevice: content.isKeptForDevice, android: content.android ?? AndroidContent())
  }
}
