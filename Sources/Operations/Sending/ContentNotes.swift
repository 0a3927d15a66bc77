internal import Domain

/// Notes for dry runs about what an app must have in order to display a message as intended, which the server cannot
/// check.
enum ContentNotes {
  static func notes(_ content: MessageContent) -> [Sentence] {
    var notes: [Sentence] = []
    if content.media != nil, content.isMutable == nil {
      notes.append("mutable-content is set, because the app's extension has to fetch the media.")
    }
    if content.isMutableInEffect {
      notes.append(
        """
        mutable-content needs a Notification Service Extension in the app. It has about 30 seconds and 24 MB of memory; \
        when it fails the notification is shown as it was sent.
        """)
    } else if let ext = content.ext, ["1|", "2|", "3|"].contains(where: ext.hasPrefix) {
      notes.append("ext names a picture, but without mutableContent it is not shown in the notification itself.")
    }
    if let category = content.category {
      notes.append(
        """
        The category \(category) does something only if the app registers it, or if its Notification Content Extension \
        names it as UNNotificationExtensionCategory.
        """)
    }
    if case .critical? = content.sound { notes.append(entitlement("critical alerts")) }
    if content.interruptionLevel == .timeSensitive { notes.append(entitlement("time-sensitive notifications")) }
    if content.tokenKind != .alert {
      notes.append(
        """
        A push of the type \(content.pushType.rawValue) goes to a token of its own: devices that have registered none are \
        skipped as no-token.
        """)
    }
    return notes
  }

  private static func entitlement(_ feature: Sentence) -> Sentence {
    "The app needs Apple's entitlement for \(feature); without it they are shown like any other."
  }
}
