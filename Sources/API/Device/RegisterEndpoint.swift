internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor
internal import Store

/// Handles `POST /v1/devices`: a device registers itself, with or without a user. If the client key is unknown, it is
/// looked up once more after the catalog has been reloaded, and the request is refused if the key is still unknown. If
/// too many requests wait for a reload, it is refused at once.
extension DeviceHandler {
  func register(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let credential = try Self.bearer(request)
    var body = try Self.body(RegistrationBody.object, request)
    body.origin = request.countedAddress
    body.attributes.timeZone = catalog.known(timeZone: body.attributes.timeZone)
    register(body, credential, request.id, request.language, responder, mayWait: true)
  }

  private func register(
    _ body: RegistrationBody, _ credential: String, _ requestID: String, _ language: SpokenLanguage,
    _ responder: Responder, mayWait: Bool
  ) {
    do throws(Problem) {
      guard let app = try app(body, credential) else {
        // The app may have been created a moment ago, so wait for the catalog to be reloaded, and try once more.
        let handler = self
        if mayWait, timeout.wait({ handler.register(body, credential, requestID, language, responder, mayWait: false) })
        {
          return
        }
        throw Problem(.badCredential, "Send the app's client key, as `upmc app create` printed it.")
      }
      if let problem = app.refusalWhileDeleted { throw problem }
      var registration = try body.registration(app: app, proof: keys.authKeys.verify(credential))
      registration.isOpenedByProof = registration.proof != nil
      perform(.register(registration), requestID, language, responder, sendRegistered)
    } catch {
      responder.send(error, requestID: requestID, in: language)
    }
  }

  private func sendRegistered(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .registered(let registered) = answer else { return }
    let device = registered.device
    let authKey = keys.authKeys.make(
      device: device.device, epoch: device.authEpoch, isTokenOnly: !registered.givesFullKey)
    responder.send(
      status: registered.isNew ? .created : .ok, Registered.object,
      Registered(
        userState: DeviceUserState(device: device, userName: registered.userName), authKey: authKey,
        badge: registered.badge))
  }

  /// Returns the app of the client key, or if the credential is an authKey, the app that the body names. Nil if the
  /// credential is neither a known client key nor a genuine authKey, or the catalog does not contain the app.
  /// - Throws: `.forbidden` if the client key belongs to another app than the body names, or the authKey to another
  ///   installation.
  private func app(_ body: RegistrationBody, _ credential: String) throws(Problem) -> App? {
    if let app = catalog.app(clientKey: credential) {
      guard app.appID == body.appID else {
        throw Problem(.forbidden, "This client key belongs to another app than \(body.appID).")
      }
      return app
    }
    guard let proof = keys.authKeys.verify(credential) else { return nil }
    // A device's id is derived from its app's, so the key of a device in another app belongs to another device.
    guard proof.device.sharesInstallation(with: body.device) else {
      throw Problem(.forbidden, "This authKey belongs to another device. Register with the app's client key.")
    }
    return catalog.app(id: body.appID)
  }
}

/// The request body of a registration, and the client's address.
struct RegistrationBody {
  var appID = ""
  var network = PushNetwork.apns
  var environment = PushEnvironment.production
  var psid = ""
  var deviceID = ""
  var clientUID: String?
  var clientName: String?
  var userProof: String?
  var consents = Consents.Change()
  var attributes = Devices.Attributes()
  /// The client address to which the limit of new devices applies; nil if the client is exempt or has no address. It is
  /// taken from the connection, not from the body.
  var origin: IPAddress?

  static let object = object(.apns)
  static let named: JSONTree.Member = (
    "Registration",
    JSONSchema.oneOf([object(.apns).form.schema, object(.fcm).form.schema]).adding(
      "description", "What a device says of itself.")
  )

  /// Returns the definition of the request body for one network. The definitions differ in the schema of the token, and
  /// in `pnsId`, which can be omitted for APNs only.
  static func object(_ network: PushNetwork) -> JSONObject<RegistrationBody> {
    let name = JSONForm<PushNetwork>.network.described(JSONSchema.constant(network.pnsID))
    let about = "PNSID: the push network of the token."
    return JSONObject(
      network == .apns ? "APNsRegistration" : "FCMRegistration", from: RegistrationBody(),
      more: [
        ("dependentRequired", .object([("clientName", .texts(["clientUid"])), ("userProof", .texts(["clientUid"]))]))
      ],
      [
        .required("appId", .appID, \.appID, "APP_ID: the app that the client key is for."),
        network == .apns ? .given("pnsId", name, \.network, about) : .required("pnsId", name, \.network, about),
        .given(
          "environment", .environment, \.environment,
          "Which of Apple's services issued the token; production by default."
        ),
        .required("psid", .token(of: network), \.psid, "PSID: the push token."),
        .required(
          "deviceId", .text(upTo: Domain.Limits.deviceIDBytes), \.deviceID,
          "DEVICE_ID: what this installation calls itself."),
        .given("clientUid", .clientUID, \.clientUID, "CUID: the user; `GUEST` means nobody. Absent: the user stays."),
        .given("clientName", .clientName, \.clientName, "CNAME: the user's name to show. Needs `clientUid`."),
        .given("userProof", .userProof, \.userProof, UserBody.aboutProof),
        .given("platform", .attribute, \.attributes.platform), .given("model", .attribute, \.attributes.model),
        .given("osVersion", .attribute, \.attributes.osVersion),
        .given("appVersion", .attribute, \.attributes.appVersion), .given("locale", .attribute, \.attributes.locale),
        // An invalid time zone is ignored, because refusing the registration would leave the phone without any pushes.
        .given(
          "timeZone", .anyText.described(JSONForm<String>.attribute.schema), \.attributes.timeZone,
          "IANA name; another one counts as the app's."),
        .given("consent", Consents.Change.object.form, \.consents),
      ])
  }

  /// ID of the device that registers.
  var device: DeviceID { DeviceID(appID: appID, network: network, installation: deviceID) }

  func registration(app: App, proof: AuthKeyring.Claim?) throws(Problem) -> Operation.Registration {
    guard let token = network.normalize(psid: psid) else {
      throw Problem(at: "/psid", network == .apns ? "must be an APNs device token in hex" : "must be an FCM token")
    }
    if clientName != nil, clientUID == nil { throw Problem(at: "/clientName", "needs a clientUid") }
    if userProof != nil, clientUID == nil { throw Problem(at: "/userProof", "needs a clientUid") }
    var registration = Operation.Registration(
      app: app, device: device, installation: deviceID,
      network: network, environment: environment, psid: token,
      user: clientUID.map { NamedUser(clientUID: $0, name: clientName ?? "", proof: userProof) },
      attributes: attributes, proof: proof, consents: consents)
    registration.origin = origin
    return registration
  }
}

extension JSONForm<String> {
  /// Form of a display name, which may be empty.
  static let clientName = JSONForm.text(upTo: Domain.Limits.clientNameBytes, isEmptyAllowed: true)
  static let userProof = JSONForm.text(upTo: Domain.Limits.userProofBytes)

  static func token(of network: PushNetwork) -> JSONForm {
    .text(upTo: Domain.Limits.psidBytes).described(
      JSONSchema.text(
        matching: network == .apns
          ? "^([0-9a-fA-F]{2}){1,\(Domain.Limits.psidBytes / 2)}$" : "^[!-~]{1,\(Domain.Limits.psidBytes)}$"))
  }
}
