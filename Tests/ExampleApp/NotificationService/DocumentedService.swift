import Foundation
import UPMCPush
import UserNotifications

/// The extension as the existing SDK's guide writes it, line by line, in Swift.
final class DocumentedService: UNNotificationServiceExtension {
  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    let manager = PushManager.defaultManager
    manager.info.changeHost("https://push.example.com")
    guard let clientUID = manager.info.clientUID, let psID = manager.info.pushServiceID, manager.info.host != nil else {
      return contentHandler(request.content)
    }
    manager.feedback(
      self, notification: request.content.userInfo, clientUID: clientUID, psID: psID, completionHandler: nil)
    contentHandler(request.content)
  }
}
