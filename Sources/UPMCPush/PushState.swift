#if canImport(UIKit)
  internal import Foundation
  internal import UIKit
  internal import UPMCClient
  internal import UPMCClientURLSession
  internal import UPMCPushExtension
  internal import UserNotifications

  /// The manager's state that is shared between threads: the client, the registration, the token and the badge.
  final class PushState: Sendable {
    private struct Values {
      var client: PushClient?
      var server: ServerAddress?
      var place: SharedPlace?
      var log = ClientLog.off
      var known: DeviceRegistration?
      var badge = 0
      var token: String?
      /// True if this process has registered `token`, or tried to.
      var isTokenTaken = false
      /// The registrations that wait for the device token from the system.
      var waiting: [UUID: CheckedContinuation<String, any Error>] = [:]
    }

    private let values = Guarded(Values())

    /// The error thrown if the system refuses to issue a device token, or issues none in time.
    struct NoToken: Error, CustomStringConvertible {
      let description: String
    }

    var server: ServerAddress? { values.withLock { $0.server } }
    var known: DeviceRegistration? { values.withLock { $0.known } }
    var badge: Int { values.withLock { $0.badge } }
    var token: String? { values.withLock { $0.token } }
    var log: ClientLog { values.withLock { $0.log } }

    // MARK: The client

    func start(_ settings: PushSettings, appID: String, attributes: DeviceAttributes) throws -> PushClient {
      let place = settings.place
      var client = ClientSettings(
        server: try ServerAddress(settings.host), appID: appID, clientKey: settings.clientKey,
        directory: place.directory)
      client.environment = settings.environment
      client.network = settings.network
      client.attributes = attributes
      let made = PushClient(client, transport: URLSessionTransport(), keys: place.keys)
      values.withLock { values in
        values.client = made
        values.server = client.server
        values.place = place
        values.log = settings.log
      }
      return made
    }

    /// Stores the settings for the extension. If the keychain cannot be written, only logs it: before the device is
    /// unlocked for the first time it cannot be, and the system starts apps then, too.
    func share(_ client: PushClient) async {
      guard let place = values.withLock({ $0.place }) else { return }
      do {
        try SharedSettings(await client.settings).store(in: place.keys)
      } catch {
        log("the extension has not got the settings yet: \(error)")
      }
    }

    /// Returns the client that `start` created. In an extension, creates one from the settings that the app has stored.
    /// Throws `notRegistered` if there are none.
    func client() throws(ClientError) -> PushClient {
      if let client = values.withLock({ $0.client }) { return client }
      let place = SharedPlace()
      guard let client = place.client() else { throw .notRegistered }
      values.withLock { $0.client = client }
      return client
    }

    /// Returns a client that can send receipts if the caller supplies the token; nil if not even the server's address
    /// is known.
    func receiptClient() -> PushClient? {
      if let client = try? client() { return client }
      guard let server else { return nil }
      let place = SharedPlace()
      let settings = ClientSettings(
        server: server, appID: Bundle.main.bundleIdentifier ?? "", clientKey: "", directory: place.directory)
      return PushClient(settings, transport: URLSessionTransport(), keys: place.keys)
    }

    func change(host: String) {
      guard let server = try? ServerAddress(host) else {
        return log("\(host) is no address of a server")
      }
      let client = values.withLock { values in
        values.server = server
        return values.client
      }
      guard let client else { return }
      Task {
        await client.change(server)
        await share(client)
      }
    }

    func remember(_ registration: DeviceRegistration?) {
      values.withLock { $0.known = registration }
      if let badge = registration?.badge { show(badge: badge) }
    }

    // MARK: The token

    /// Returns the device token, waiting until the system has issued it. Because the system sometimes reports neither
    /// success nor failure, throws after `seconds`; a token that arrives later is still registered.
    func awaitToken(atMost seconds: Double = 30) async throws -> String {
      let number = UUID()
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
        let continuation = self.values.withLock { $0.waiting.removeValue(forKey: number) }
        continuation?.resume(throwing: NoToken(description: "the system handed over no token within \(Int(seconds)) s"))
      }
      return try await withCheckedThrowingContinuation { continuation in
        let token = values.withLock { values in
          if values.token == nil { values.waiting[number] = continuation }
          return values.token
        }
        if let token { continuation.resume(returning: token) }
      }
    }

    /// Stores the device token and resumes the registrations that wait for it. Returns true if the token differs from
    /// the previous one.
    func take(token: String) -> Bool {
      let isNew = values.withLock { values in
        guard values.token != token else { return false }
        values.token = token
        values.isTokenTaken = false
        return true
      }
      for continuation in takeWaiting() { continuation.resume(returning: token) }
      return isNew
    }

    /// Returns the device token for the caller to register; nil if there is none, or if this process has registered it
    /// or tried to.
    func takeUnregisteredToken() -> String? {
      values.withLock { values in
        guard let token = values.token, !values.isTokenTaken else { return nil }
        values.isTokenTaken = true
        return token
      }
    }

    func noteRegistered(_ token: String) {
      values.withLock { values in
        if values.token == token { values.isTokenTaken = true }
      }
    }

    func fail(_ reason: String) {
      for continuation in takeWaiting() { continuation.resume(throwing: NoToken(description: reason)) }
    }

    private func takeWaiting() -> [CheckedContinuation<String, any Error>] {
      values.withLock { values in
        defer { values.waiting = [:] }
        return Array(values.waiting.values)
      }
    }

    // MARK: The icon

    /// Shows `badge` on the app's icon. Apple's documentation: *setBadgeCount(_:withCompletionHandler:)*,
    /// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenter/setbadgecount(_:withcompletionhandler:)>
    func show(badge: Int) {
      values.withLock { $0.badge = badge }
      if #available(iOS 16, *) {
        UNUserNotificationCenter.current().setBadgeCount(badge, withCompletionHandler: nil)
      } else {
        Task { @MainActor in PushManager.defaultManager.handlers.application?.applicationIconBadgeNumber = badge }
      }
    }
  }
#endif
