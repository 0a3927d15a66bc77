/// `POST /v1/devices`: registers the device, with or without a user. Creates the request and parses the answer.
public struct RegistrationCall: Sendable {
  /// The body of the request. Fields that are nil are omitted.
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

  /// Creates the description of a registration. Attributes that the server would refuse are omitted; nothing else is
  /// validated.
  /// - Parameters:
  ///   - environment: the environment of the token; ignored for FCM.
  ///   - token: PSID: the APNs token in hexadecimal, or FCM's registration token.
  ///   - deviceID: id of this installation, created by the client.
  ///   - user: the user to set; nil keeps the current user, `.guest` removes it.
  ///   - consent: consents to record; nil leaves all unchanged.
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

  /// Returns the request that registers the device.
  /// - Parameter key: the device's own key if it has one, otherwise the app's client key.
  public func request(to origin: String, key: String) -> WireRequest {
    var request = WireRequest("POST", "/v1/devices", at: origin)
    request.bearer = key
    request.body = WireBody.encode(body)
    return request
  }

  /// Parses the answer to a registration.
  /// - Throws: `.busy`, `.refused` or `.notAnAnswer` if the registration failed; `.notAnAnswer` also if the device's id
  ///   or key contains characters that must not become part of a path or header.
  public static func registered(_ answer: WireAnswer) throws(ClientError) -> RegisteredDevice {
    let device = try answer.decoded(RegisteredDevice.self)
    guard isPathSafe(device.device), !device.authKey.isEmpty,
      device.authKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .notAnAnswer(status: answer.status) }
    return device
  }

  /// Returns true if a device id can safely become part of a path: 1 to 64 ASCII letters, digits and hyphens.
  static func isPathSafe(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
      }
  }
}

/// A user, as the app identifies it.
public struct ClientUser: Sendable, Equatable {
  /// The user's id (CUID): a login id, e-mail address, phone number or the like.
  public var clientUID: String
  /// The display name (CNAME); may be empty.
  public var clientName: String
  /// The proof created by the app's backend for this user, in apps whose identity mode is `proof` or `strict`; nil in
  /// other apps, and if the backend has created a voucher at login instead.
  public var proof: String?

  /// Creates a user, with or without a proof.
  public init(_ clientUID: String, name: String = "", proof: String? = nil) {
    self.clientUID = clientUID
    clientName = name
    self.proof = proof
  }

  /// The guest: a device without a user, which receives only messages to everyone.
  public static let guest = ClientUser("GUEST")
}

/// The answer to a registration.
public struct RegisteredDevice: Sendable, Codable, Equatable {
  /// The server's id of the device.
  public var device: String
  /// The device's own key, which authenticates its calls from now on.
  public var authKey: String
  /// The user's badge count, or for a guest, the device's; 0 if the server did not send one.
  public var badge: Int
  /// The user; nil for a guest.
  public var user: KnownUser?
  /// The identity mode in which the device was bound to its user: `open`, `proof` or `strict`; nil for a guest.
  public var identity: String?
  /// True in `strict` mode from the setting of a user until a push has been returned; only then does the device belong
  /// to that user.
  public var awaitsPush: Bool

  /// Decodes an answer. Of the members that an older server does not send, `badge` becomes 0, `awaitsPush` false, and
  /// the others nil. Throws if `device` or `authKey` is missing, or a type is wrong.
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

/// A user, as the server knows it.
public struct KnownUser: Sendable, Codable, Equatable {
  /// The CUID of the user.
  public var clientUid: String
  /// The display name (CNAME); may be empty.
  public var clientName: String
}

/// The consents that a user gives (true) or withdraws (false); those that are nil are left unchanged.
public struct ConsentChange: Sendable, Codable, Equatable {
  /// The consent to notifications in general; nil to leave it unchanged.
  public var notification: Bool?
  /// The consent to advertising; nil to leave it unchanged.
  public var ad: Bool?
  /// The consent to advertising at night; nil to leave it unchanged.
  public var nightAd: Bool?

  /// Creates a change of the given consents.
  public init(notification: Bool? = nil, ad: Bool? = nil, nightAd: Bool? = nil) {
    self.notification = notification
    self.ad = ad
    self.nightAd = nightAd
  }
}
