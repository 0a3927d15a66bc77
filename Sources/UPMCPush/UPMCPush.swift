/// The UPMC client for iOS apps: the API of the original documents, for Swift and Objective-C, built on `UPMCClient`.
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
    /// Address of the server, for example `https://push.example.com`.
    public var host: String
    /// The app's client key, as printed by `upmc app create`.
    public var clientKey: String
    /// APP_ID; nil to use the bundle identifier.
    public var appID: String?
    /// APNs environment of the device token. Set it to sandbox in builds installed by Xcode.
    public var environment = TokenEnvironment.production
    /// The network that issues the push token. `.fcm` if Firebase does; see `PushManager.receive(fcmToken:)`.
    public var network = TokenNetwork.apns
    /// App group shared with the extension; nil to use `UPMCAppGroup` from Info.plist.
    public var appGroup: String?
    /// Keychain group shared with the extension; nil to use `UPMCKeychainGroup` from Info.plist.
    public var keychainGroup: String?
    /// Receives the client's log messages.
    public var log = ClientLog.off

    /// Creates settings from the required values.
    public init(host: String, clientKey: String) {
      self.host = host
      self.clientKey = clientKey
    }

    var place: SharedPlace { SharedPlace(appGroup: appGroup, keychainGroup: keychainGroup) }
  }
#endif
