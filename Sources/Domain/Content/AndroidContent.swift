package import JSON

/// Fields for Android devices only, as in FCM's `AndroidConfig` and `AndroidNotification`, of a message or as an app's
/// defaults. Nil means not given: the app's default, if any, applies to a message.
///
/// Source: FCM HTTP v1, `projects.messages`.
package struct AndroidContent: Equatable, Sendable {
  package enum Priority: String, CaseIterable, Sendable {
    case normal, high
  }

  /// Id of a notification channel that the app has created (Android 8 and later).
  package var channelID: String?
  /// Name of a drawable resource of the app.
  package var icon: String?
  /// Color of the icon, as `#rrggbb`.
  package var color: String?
  /// Intent filter of the activity that opens when the user taps the notification.
  package var clickAction: String?
  /// URL of an image (https); takes precedence over the message's own media.
  package var image: String?
  /// Priority; nil to derive it from the message's lane and priority.
  package var priority: Priority?
  /// Tag of the notification, which replaces an earlier one with the same tag; nil to use the message's collapse id.
  package var tag: String?
  /// Label of the message in Firebase's reports; also used for iOS devices through FCM.
  package var analyticsLabel: String?

  package init() {}

  package var isEmpty: Bool { self == AndroidContent() }

  /// Returns these fields, with the app's defaults `usual` in place of those not given.
  package func over(_ usual: AndroidContent) -> AndroidContent {
    var content = self
    content.channelID = channelID ?? usual.channelID
    content.icon = icon ?? usual.icon
    content.color = color ?? usual.color
    content.clickAction = clickAction ?? usual.clickAction
    content.image = image ?? usual.image
    content.priority = priority ?? usual.priority
    content.tag = tag ?? usual.tag
    content.analyticsLabel = analyticsLabel ?? usual.analyticsLabel
    return content
  }

  /// API names of the given members that have an effect only on a visible notification.
  var shownMembers: [String] {
    [
      ("channelId", channelID), ("icon", icon), ("color", color), ("clickAction", clickAction), ("image", image),
      ("tag", tag),
    ].compactMap { $1 == nil ? nil : $0 }
  }

  // MARK: JSON

  package static let object = JSONObject(
    "Android",
    about: """
      What only Android devices are told. Everything but `priority` and `analyticsLabel` belongs to the notification that \
      Android shows by itself, so it leaves only where the app's FCM credential says `notification`; what is absent is as \
      the app has it (`android` of `PATCH /v1/admin/apps/{appId}`).
      """, from: AndroidContent(),
    [
      .given("channelId", name, \.channelID, "The notification channel, which the app must have created."),
      .given("icon", name, \.icon, "A drawable resource of the app."), .given("color", color, \.color, "As `#rrggbb`."),
      .given("clickAction", name, \.clickAction, "The intent filter of the activity that a tap opens."),
      .given("image", address, \.image, "A picture (https); stands before the message's own media."),
      .given(
        "priority", .words(Priority.allCases), \.priority,
        "`high` wakes the device. Absent: `high` unless the lane is `bulk` or `priority` is below 10."),
      .given("tag", name, \.tag, "A notification with the same one is replaced; the collapse id when absent."),
      .given(
        "analyticsLabel", label, \.analyticsLabel, "Marks the message in Firebase's reports, on iOS through FCM too."),
    ])

  /// The description of the JSON object that responses contain.
  package static let shown = JSONObject<AndroidContent>(
    "AndroidDefaults", isNamed: false,
    [
      .optional("channelId", .anyText, \.channelID), .optional("icon", .anyText, \.icon),
      .optional("color", .anyText, \.color), .optional("clickAction", .anyText, \.clickAction),
      .optional("image", .anyText, \.image), .optional("priority", .words(Priority.allCases), \.priority),
      .optional("tag", .anyText, \.tag), .optional("analyticsLabel", .anyText, \.analyticsLabel),
    ])

  /// The fields as JSON, as stored with an app.
  package var json: String { Self.shown.text(of: self) }

  /// Parses the stored form. If it cannot be parsed, no field is given.
  /// - Parameter json: text written by `json`; members of a newer version are ignored.
  package init(stored json: [UInt8]) {
    self = (try? Self.object.read(json, ignoresUnknownFields: true)) ?? AndroidContent()
  }

  private static let name = JSONForm.text(upTo: Domain.Limits.nameBytes)
  private static let color = JSONForm<String>.text(upTo: 7, pattern: "^#[0-9A-Fa-f]{6}$").mapped(
    by: { text in
      text.utf8.count == 7 && text.hasPrefix("#") && text.utf8.dropFirst().allSatisfy { Hex.value(of: $0) != nil }
        ? text : nil
    }, else: "must be a colour such as #1A73E8", written: { $0 })
  private static let address = JSONForm<String>.text(upTo: 2048, pattern: "^https://[!-~]+$").mapped(
    by: { text in
      text.hasPrefix("https://") && text.utf8.count > 8 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        ? text : nil
    }, else: "must be a URL that begins with https://, in ASCII", written: { $0 })
  private static let label = JSONForm<String>.text(upTo: 50, pattern: "^[a-zA-Z0-9-_.~%]{1,50}$").mapped(
    by: { text in
      text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x25, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
      } ? text : nil
    }, else: "must be letters, digits and - _ . ~ %", written: { $0 })
}
