/// `POST /v1/devices`: a device registers itself, with a user or without.
public struct RegistrationCall: Sendable {
  /// The body. A nil field is left out.
  struct Body: Encodable, Sendable {
    var appId: String
    var pnsId: String
    var environment: String?
    var psid: String
    var deviceId: String
    var clientUid: String?
    var clientName: String?
    var userProof: String?
    var platform: String?
    var model: String?
    var osVersion: String?
    var appVersion: String?
    var locale: String?
    var timeZone: String?
    var consent: ConsentChange?
  }

  private let body: Body

  /// - Parameters:
  ///   - token: PSID: hex for APNs, the registration token for FCM.
  ///   - deviceID: what this installation calls itself.
  ///   - user: nil keeps the current user; `.guest` removes it.
  public init(
    appID: String, network: TokenNetwork, environment: TokenEnvironment, token: String, deviceID: String,
    user: ClientUser?, attributes: DeviceAttributes, consent: ConsentChange? = nil
  ) {
    let told = attributes.sendable
    body = Body(
      appId: appID, pnsId: network.rawValue, environment: network == .apns ? environment.rawValue : nil, psid: token,
      deviceId: deviceID, clientUid: user?.clientUID,
      clientName: user.flatMap { $0.clientName.isEmpty ? nil : $0.clientName }, userProof: user?.proof,
      platform: told.platform, model: told.model, osVersion: told.osVersion, appVersion: told.appVersion,
      locale: told.locale, timeZone: told.timeZone, consent: consent)
  }

  /// - Parameter key: the device's own, or else the app's client key.
  public func request(to origin: String, key: String) -> WireRequest {
    var request = WireRequest("POST", "/v1/devices", at: origin)
    request.bearer = key
    request.body = WireBody.encode(body)
    return request
  }

  /// What the server answered.
  public static func registered(_ answer: WireAnswer) throws(ClientError) -> RegisteredDevice {
    let device = try answer.decoded(RegisteredDevice.self)
    guard isPathSafe(device.device), !device.authKey.isEmpty,
      device.authKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .notAnAnswer(status: answer.status) }
    return device
  }

  /// A device's id becomes part of paths.
  static func isPathSafe(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
      }
  }
}

/// A user as the app knows it.
public struct ClientUser: Sendable, Equatable {
  /// CUID: login id, e-mail address, phone number …
  public var clientUID: String
  /// CNAME: the name to show; may be empty.
  public var clientName: String
  /// What the app's own server made for this user, in apps whose identity is `proof` or `strict`. Not needed where the app's
  /// server made a voucher at log-in.
  public var proof: String?

  /// A user, vouched for or not.
  public init(_ clientUID: String, name: String = "", proof: String? = nil) {
    self.clientUID = clientUID
    clientName = name
    self.proof = proof
  }

  /// No user: the device then gets only what is sent to everyone.
  public static let guest = ClientUser("GUEST")
}

/// What a registration answers.
public struct RegisteredDevice: Sendable, Codable, Equatable {
  /// The server's id of the device.
  public var device: String
  /// The device's own key.
  public var authKey: String
  /// The user's badge count.
  public var badge: Int
  /// Nil for a guest.
  public var user: KnownUser?
  /// What the binding to the user was made with: `open`, `proof` or `strict`; nil for a guest.
  public var identity: String?
  /// In `strict`: the user is the device's when a push has been brought back.
  public var awaitsPush: Bool

  /// What an older server does not say is as it was then.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    device = try members.decode(String.self, forKey: .device)
    authKey = try members.decode(String.self, forKey: .authKey)
    badge = try members.decodeIfPresent(Int.self, forKey: .badge) ?? 0
    user = try members.decodeIfPresent(KnownUser.self, forKey: .user)
    identity = try members.decodeIfPresent(String.self, forKey: .identity)
    awaitsPush = try members.decodeIfPresent(Bool.self, forKey: .awaitsPush) ?? false
  }
}

/// A user as the server knows it.
public struct KnownUser: Sendable, Codable, Equatable {
  /// CUID.
  public var clientUid: String
  /// CNAME: may be empty.
  public var clientName: String
}

/// What a person agrees to; what is nil stays as it is.
public struct ConsentChange: Sendable, Codable, Equatable {
  /// Notifications at all.
  public var notification: Bool?
  /// Advertising.
  public var ad: Bool?
  /// Advertising at night.
  public var nightAd: Bool?

  /// Changes what is given.
  public init(notification: Bool? = nil, ad: Bool? = nil, nightAd: Bool? = nil) {
    self.notification = notification
    self.ad = ad
    self.nightAd = nightAd
  }
}
