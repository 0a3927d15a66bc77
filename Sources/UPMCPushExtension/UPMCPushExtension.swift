/// The part of the client for an app's extensions. It uses nothing that Apple keeps from extensions.
///
/// - `UPMCNotificationService` confirms a push in the background, and fetches its page and its image. An extension adopts
///   it by one line: `class NotificationService: UPMCNotificationService {}`.
/// - `UPMCNotificationContent` shows a push that the person has pulled open.
/// - `SharedPlace` is where app and extension meet: the app group's directory holds the outbox, the keychain the rest.
///
/// Apple's documentation: *Modifying content in newly delivered notifications*,
/// <https://developer.apple.com/documentation/usernotifications/modifying-content-in-newly-delivered-notifications>
#if canImport(UserNotifications)
  internal import Foundation
  public import UPMCClient
  internal import UPMCClientURLSession

  /// Where an app and its extensions meet.
  public struct SharedPlace: Sendable {
    /// The directory of the outbox.
    public let directory: String
    /// Keys, token and user.
    public let keys: any KeyStore

    /// - Parameters:
    ///   - appGroup: both the app and its extension have it (*Signing & Capabilities*, *App Groups*). Nil: `UPMCAppGroup` of
    ///     the Info.plist; and where that is missing too, the process's own directory, which no extension shares.
    ///   - keychainGroup: likewise (*Keychain Sharing*), `UPMCKeychainGroup` of the Info.plist; with the team's prefix.
    ///   - service: names the entries where several apps have one keychain group; the same in the extension. `UPMCAppID` of the
    ///     Info.plist.
    public init(appGroup: String? = nil, keychainGroup: String? = nil, service: String? = nil) {
      let bundle = Bundle.main
      let group = appGroup ?? bundle.object(forInfoDictionaryKey: "UPMCAppGroup") as? String
      let shared = group.flatMap { FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0) }
      let own = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      directory = (shared ?? own ?? URL(fileURLWithPath: NSTemporaryDirectory())).appendingPathComponent("upmc").path
      let name = service ?? bundle.object(forInfoDictionaryKey: "UPMCAppID") as? String
      keys = KeychainStore(
        // An extension has another bundle identifier than its app.
        service: name.map { "upmc.\($0)" } ?? "upmc",
        group: keychainGroup ?? bundle.object(forInfoDictionaryKey: "UPMCKeychainGroup") as? String)
    }

    /// The client of an extension; nil when the app has never started, or shares nothing with it.
    public func client() -> PushClient? {
      SharedSettings(in: keys).map {
        PushClient($0.settings(directory: directory), transport: URLSessionTransport(), keys: keys)
      }
    }
  }
#endif
