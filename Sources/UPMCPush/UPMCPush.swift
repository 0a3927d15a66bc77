/// The UPMC client for iOS apps: the API of the existing iOS SDK, for Swift and Objective-C, built on `UPMCClient`.
///
/// ```
///   UIApplicationDelegate, scenes, UNUserNotificationCenterDelegate
///        │ forwarded by the app, or by `UPMCAppDelegate`; nothing is swizzled
///        ▼
///   PushManager ──► PushClient ──► server            shared with the extension: `SharedPlace`
///        └────────► PushManagerDelegate; pushes that arrive before it is set are kept
/// ```
/// The module does not use `UIApplication.shared`, so that extensions can link it: the app passes its application
/// object.
#if canImport(UIKit)
  public import UPMCClient
  internal import UPMCPushExtension

  /// The app's settings, passed once to `PushManager.start`.
  public struct PushSettings: Sendable {
    /// The address of the server, for example `https://push.example.com`.
    public var host: String
    /// The app's client key, as printed by `upmc app create`.
    public var clientKey: String
    /// The APP_ID; nil to use the bundle identifier.
    public var appID: String?
    /// The APNs environment of the device token. Set it to sandbox in builds installed by Xcode.
    public var environment = TokenEnvironment.production
    /// The network that issues the push token: `.fcm` if Firebase does; see `PushManager.receive(fcmToken:)`.
    public var network = TokenNetwork.apns
    /// The app group shared with the extension; nil to use `UPMCAppGroup` from Info.plist.
    public var appGroup: String?
    /// The keychain group shared with the extension; nil to use `UPMCKeychainGroup` from Info.plist.
    public var keychainGroup: String?
    /// The receiver of the client's log messages; off by default.
    public var log = ClientLog.off

    /// Creates settings from the required values.
    public init(host: String, clientKey: String) {
      self.host = host
      self.clientKey = clientKey
    }

    var place: SharedPlace { SharedPlace(appGroup: appGroup, keychainGroup: keychainGroup) }
  }
#endif
