/// The part of the client for an app's extensions. It uses no API that is unavailable in extensions.
///
/// - `UPMCNotificationService` confirms a push in the background and downloads its page and its image. An extension
///   uses it with one line: `class NotificationService: UPMCNotificationService {}`.
/// - `UPMCNotificationContent` shows an expanded notification.
/// - `SharedPlace` is the storage shared by app and extension: the outbox of unsent receipts in the app group's
///   directory, everything else in the keychain.
///
/// Apple's documentation: *Modifying content in newly delivered notifications*,
/// <https://developer.apple.com/documentation/usernotifications/modifying-content-in-newly-delivered-notifications>
#if canImport(UserNotifications)
  internal import Foundation
  public import UPMCClient
  internal import UPMCClientURLSession

  /// The storage shared by an app and its extensions.
  public struct SharedPlace: Sendable {
    /// The directory of the outbox, which holds receipts until they are sent.
    public let directory: String
    /// The key store with settings, keys, token and user, in the keychain.
    public let keys: any KeyStore

    /// Selects the app's storage.
    /// - Parameters:
    ///   - appGroup: app group of both the app and its extension (*Signing & Capabilities*, *App Groups*); nil to use
    ///     `UPMCAppGroup` from Info.plist. If that is missing too, the process's own directory is used, which is not
    ///     shared.
    ///   - keychainGroup: keychain group of both (*Keychain Sharing*), including the team's prefix; nil to use
    ///     `UPMCKeychainGroup` from Info.plist.
    ///   - service: distinguishes the entries of apps that share a keychain group; must be equal in app and extension.
    ///     Nil to use `UPMCAppID` from Info.plist.
    public init(appGroup: String? = nil, keychainGroup: String? = nil, service: String? = nil) {
      let bundle = Bundle.main
      let group = appGroup ?? bundle.object(forInfoDictionaryKey: "UPMCAppGroup") as? String
      let shared = group.flatMap { FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0) }
      let own = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      directory = (shared ?? own ?? URL(fileURLWithPath: NSTemporaryDirectory())).appendingPathComponent("upmc").path
      let name = service ?? bundle.object(forInfoDictionaryKey: "UPMCAppID") as? String
      keys = KeychainStore(
        // An extension's bundle identifier differs from its app's.
        service: name.map { "upmc.\($0)" } ?? "upmc",
        group: keychainGroup ?? bundle.object(forInfoDictionaryKey: "UPMCKeychainGroup") as? String)
    }

    /// Creates the client of an extension from the app's stored settings; nil if the app has never started or shares no
    /// storage.
    public func client() -> PushClient? {
      SharedSettings(in: keys).map {
        PushClient($0.settings(directory: directory), transport: URLSessionTransport(), keys: keys)
      }
    }
  }
#endif
