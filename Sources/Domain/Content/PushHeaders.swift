/// The headers that all recipients of a message share: the `apns-` headers, and FCM's counterpart.
package struct PushHeaders: Equatable, Sendable {
  /// The bundle identifier with the push type's suffix.
  package let topic: String
  package let pushType: PushType
  package let priority: PushPriority
  /// A later push with the same value replaces this one on the screen; at most 64 bytes.
  package let collapseID: String
  /// False: Apple tries once and stores nothing for an offline device.
  package let isKeptForDevice: Bool
  /// FCM's fields for Android.
  package let android: AndroidContent
  /// Apple's id of the broadcast channel that it is published on; nil: it goes to devices.
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

  /// Headers for publishing on an app's broadcast channel.
  init(appID: String, channel: String, priority: PushPriority, isKept: Bool) {
    // Apple requires the bare bundle identifier here.
    topic = appID
    pushType = .liveactivity
    self.priority = priority
    collapseID = ""
    isKeptForDevice = isKept
    android = AndroidContent()
    self.channel = channel
  }

  package init(_ request: MessageRequest, appID: String, seqno: Int64) {
    let content = request.content
    // Defaults to the SEQNO, so that a repeated submission replaces the first instead of showing twice.
    self.init(
      appID: appID, content.pushType, priority: content.priority, collapseID: content.collapseID ?? String(seqno),
      isKeptForDevice: content.isKeptForDevice, android: content.android ?? AndroidContent())
  }
}
