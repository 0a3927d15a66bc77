// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

@_exported import UserNotifications

/// <https://developer.apple.com/documentation/usernotificationsui/unnotificationcontentextension>
@MainActor public protocol UNNotificationContentExtension: NSObjectProtocol {
  func didReceive(_ notification: UNNotification)
}
