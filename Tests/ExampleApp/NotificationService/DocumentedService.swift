import Foundation
import UPMCPush
import UserNotifications

/// The extension as the existing SDK's guide writes it, line by line, in Swift, with what the app has stored for it.
final class DocumentedService: UNNotificationServiceExtension {
  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    let manager = PushManager.defaultManager
    let shared = UserDefaults(suiteName: "group.com.example.bank")
    guard let clientUID = shared?.string(forKey: "cuid"), let psID = shared?.string(forKey: "psid"),
      let host = shared?.string(forKey: "host")
    else { return contentHandler(request.content) }
    manager.info.changeHost(host)
    manager.feedback(
      self, notification: request.content.userInfo, clientUID: clientUID, psID: psID, completionHandler: nil)
    contentHandler(request.content)
  }
}
