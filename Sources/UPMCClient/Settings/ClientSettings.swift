/// The settings of a client: server, app, and the directory for its files.
public struct ClientSettings: Sendable {
  /// The server.
  public var server: ServerAddress
  /// APP_ID: the bundle identifier of the app, also in its extension.
  public var appID: String
  /// The app's client key, as `upmc app create` printed it. Every copy of the app has it, so it identifies the app and proves nothing.
  public var clientKey: String
  /// The network of the push token.
  public var network = TokenNetwork.apns
  /// Which of Apple's services issued the token. A build that Xcode installs has a token of the sandbox.
  public var environment = TokenEnvironment.production
  /// A directory of this app, shared with its extension (the app group's): holds the outbox.
  public var directory: String
  /// What the device says of itself.
  public var attributes = DeviceAttributes()
  /// Seconds for one call.
  public var callSeconds = ClientLimits.callSeconds

  /// The settings that every app needs; the others have values that fit most.
  public init(server: ServerAddress, appID: String, clientKey: String, directory: String) {
    self.server = server
    self.appID = appID
    self.clientKey = clientKey
    self.directory = directory
  }
}

/// PNSID: the push network of a token.
public enum TokenNetwork: String, Sendable, Codable {
  /// Apple.
  case apns = "APNS"
  /// Google: what Firebase calls a registration token.
  case fcm = "FCM"
}

/// Which of Apple's services issued a token.
public enum TokenEnvironment: String, Sendable, Codable {
  /// App Store, TestFlight and enterprise builds.
  case production
  /// Builds that Xcode installs.
  case sandbox
}

/// What a device says of itself; each may be absent. At most 128 bytes each.
public struct DeviceAttributes: Sendable, Codable, Equatable {
  /// `iOS` or `Android`.
  public var platform: String?
  /// For example `iPhone15,2`.
  public var model: String?
  /// For example `18.1`.
  public var osVersion: String?
  /// The app's own version.
  public var appVersion: String?
  /// For example `ko-KR`.
  public var locale: String?
  /// IANA name, for example `Asia/Seoul`.
  public var timeZone: String?

  /// Says nothing.
  public init() {}

  /// As the server takes them: what is too long is left out rather than refused with the registration.
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
