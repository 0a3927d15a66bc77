import UPMCPushExtension

/// The whole extension.
final class NotificationService: UPMCNotificationService {}
