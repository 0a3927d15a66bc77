/// The settings of a client.
public struct ClientSettings: Sendable {
  /// The address of the server.
  public var server: ServerAddress
  /// The app's bundle identifier (APP_ID). An extension uses its app's, not its own.
  public var appID: String
  /// The app's client key, as printed by `upmc app create`. It identifies the app but is not secret, because every copy
  /// of the app contains it.
  public var clientKey: String
  /// The network that issues the push token.
  public var network = TokenNetwork.apns
  /// The APNs environment that issues the token. Use sandbox for builds installed by Xcode. Ignored for FCM.
  public var environment = TokenEnvironment.production
  /// The directory that the app shares with its extension (the app group's). The outbox is its subdirectory `outbox`.
  public var directory: String
  /// The attributes that the device reports, such as model and locale.
  public var attributes = DeviceAttributes()
  /// Timeout in seconds of each request, except downloads of media (`ClientLimits.mediaSeconds`). A request whose
  /// answer is lost is repeated once, with the same timeout, unless it sends confirmations.
  public var callSeconds = ClientLimits.callSeconds
  /// Timeout in seconds of each request of an extension that sends confirmations; tests lengthen it.
  package var extensionCallSeconds = ClientLimits.extensionCallSeconds

  /// Creates settings with the required values; the others have defaults.
  public init(server: ServerAddress, appID: String, clientKey: String, directory: String) {
    self.server = server
    self.appID = appID
    self.clientKey = clientKey
    self.directory = directory
  }
}

/// The network that issues a push token (PNSID).
public enum TokenNetwork: String, Sendable, Codable {
  /// The Apple Push Notification service.
  case apns = "APNS"
  /// Firebase Cloud Messaging; the token is Firebase's registration token.
  case fcm = "FCM"
}

/// The APNs environment that issues a token.
public enum TokenEnvironment: String, Sendable, Codable {
  /// The environment of App Store, TestFlight and enterprise builds.
  case production
  /// The environment of builds installed by Xcode.
  case sandbox
}

/// The attributes that a device reports, each of 1 to 128 bytes; nil if not reported. Attributes that are empty, longer
/// or contain a NUL character are not reported either.
public struct DeviceAttributes: Sendable, Codable, Equatable {
  /// The platform, `iOS` or `Android`.
  public var platform: String?
  /// The model, for example `iPhone15,2`.
  public var model: String?
  /// The version of the operating system, for example `18.1`.
  public var osVersion: String?
  /// The version of the app.
  public var appVersion: String?
  /// The locale, for example `ko-KR`.
  public var locale: String?
  /// The IANA name of the time zone, for example `Asia/Seoul`.
  public var timeZone: String?

  /// Creates attributes without any value.
  public init() {}

  /// The attributes without those that the server would refuse together with the registration: empty ones, and those of
  /// more than 128 bytes or with a NUL character.
  var sendable: DeviceAttributes {
    func cut(_ text: String?) -> String? {
      text.flatMap { $0.isEmpty || $0.utf8.count > 128 || $0.utf8.contains(0) ? nil : $0 }
    }
    var all = self
    all.platform = cut(platform)
    all.model = cut(model)
    all.osVersion = cut(osVersion)
    all.appVersion = cut(appVersion)
    all.locale = cut(locale)
    all.timeZone = cut(timeZone)
    return all
  }
}
