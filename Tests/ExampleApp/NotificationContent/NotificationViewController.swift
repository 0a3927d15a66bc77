import UPMCPushExtension

/// The whole extension.
final class NotificationViewController: UPMCNotificationContent {}
