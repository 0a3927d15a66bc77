/// UPMC in an iOS app: the names of the original documents, for Swift and Objective-C, on `UPMCClient`.
///
/// ```
///   UIApplicationDelegate, scenes, UNUserNotificationCenterDelegate
///        │ forwarded by the app, or by `UPMCAppDelegate`; nothing is swizzled
///        ▼
///   PushManager ──► PushClient ──► server            shared with the extension: `SharedPlace`
///        └────────► PushManagerDelegate, held back until there is one
/// ```
/// Nothing here needs `UIApplication.shared`, so that extensions may link it: the app hands its application over.
#if canImport(UIKit)
  public import UPMCClient
  internal import UPMCPushExtension

  /// What an app says once, to `PushManager.start`.
  public struct PushSettings: Sendable {
    /// The server, for example `https://push.example.com`.
    public var host: String
    /// The app's client key, as `upmc app create` printed it.
    public var clientKey: String
    /// APP_ID; nil for the bundle identifier.
    public var appID: String?
    /// A build that Xcode installs has a token of the sandbox.
    public var environment = TokenEnvironment.production
    /// `.fcm` where Firebase issues the token; see `PushManager.receive(fcmToken:)`.
    public var network = TokenNetwork.apns
    /// Shared with the extension; nil for `UPMCAppGroup` of the Info.plist.
    public var appGroup: String?
    /// Shared with the extension; nil for `UPMCKeychainGroup` of the Info.plist.
    public var keychainGroup: String?
    /// Where the client says what it does.
    public var log = ClientLog.off

    /// What every app says.
    public init(host: String, clientKey: String) {
      self.host = host
      self.clientKey = clientKey
    }

    var place: SharedPlace { SharedPlace(appGroup: appGroup, keychainGroup: keychainGroup) }
  }
#endif
