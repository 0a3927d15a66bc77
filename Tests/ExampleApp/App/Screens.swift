import Foundation
import UIKit
import UPMCClient
import UPMCPush
import UserNotifications

/// What screens do with pushes: in the documents' words, and in Swift's.
@MainActor final class MessageScreen: UIViewController, PushManagerDelegate {
  private let manager = PushManager.defaultManager
  private var openRoom: String?

  func start() {
    manager.initialize(with: self)
    manager.present { [weak self] push in push.custom["room"]?.text != self?.openRoom }
    manager.route { [weak self] push in self?.open(room: push.custom["room"]?.text) }
  }

  func signIn(_ user: String, name: String) {
    Task {
      guard try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound]) else {
        return
      }
      manager.registerServiceAndUser(self, clientUID: user, clientName: name) { success in
        guard success else { return }
        self.shareWithExtension()
        self.manager.registerGroup(self, groupSequenceNumber: "12", completionHandler: nil)
      }
    }
  }

  /// Stores what `DocumentedService` needs: the manager of its process has not registered, and knows nothing of it.
  private func shareWithExtension() {
    let shared = UserDefaults(suiteName: "group.com.example.bank")
    shared?.set(manager.info.clientUID, forKey: "cuid")
    shared?.set(manager.info.pushServiceID, forKey: "psid")
    shared?.set(manager.info.host, forKey: "host")
  }

  func signOut() {
    manager.unregisterGroup(self, groupSequenceNumber: "12") { _ in }
    manager.unregisterUser(self, completionHandler: nil)
    manager.unregisterService(self, completionHandler: nil)
  }

  func manager(
    _ manager: PushManager, didReceiveUserNotification userInfo: [AnyHashable: Any], status: String, messageUID: String
  ) {
    manager.read(self, notification: userInfo) { _ in }
    manager.read(self, notification: userInfo, badgeOption: .reset) { _ in }
    manager.read(self, notification: userInfo, badgeOption: .update, badge: NSNumber(value: 10)) { _ in }
    manager.update(self, badge: NSNumber(value: 3)) { _ in }
    manager.notificationCenter.badgeNumber = NSNumber(value: 0)
    if status == PushStatus.START { open(room: nil) }
  }

  /// The same, and more, without completion handlers.
  func swiftly(_ userInfo: [AnyHashable: Any]) async throws {
    try await manager.registerServiceAndUser(ClientUser("kim01", name: "Kim", proof: "made by the app's server"))
    let push = try ReceivedPayload(userInfo: userInfo)
    _ = try await manager.read(push, badgeOption: .keep)
    try await manager.update(badge: 7)
    let client = try manager.client
    _ = try await client.set(ConsentChange(ad: true, nightAd: false))
    try await client.set("0a0b", for: .voip)
    _ = try await client.inbox()
    if let ext = push.ext { _ = RichContent(try await client.resolve(ext)) }
    for finding in await manager.status()?.findings ?? [] { print(finding) }
  }

  private func open(room: String?) { openRoom = room }
}
