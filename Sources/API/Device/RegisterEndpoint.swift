internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor
internal import Store

/// `POST /v1/devices`: a device registers itself, with a user or without.
extension DeviceDoor {
  func register(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let credential = try Self.bearer(request)
    var reader = try Self.reader(request)
    var body: RegistrationBody
    do {
      body = try RegistrationBody(&reader)
    } catch {
      throw Problem(error)
    }
    body.origin = request.countedAddress
    // Refused for its time zone a phone would get nothing at all.
    body.attributes.timeZone = catalog.known(timeZone: body.attributes.timeZone)
    register(body, credential, request.id, responder, mayWait: true)
  }

  private func register(
    _ body: RegistrationBody, _ credential: String, _ requestID: String, _ responder: Responder, mayWait: Bool
  ) {
    do throws(Problem) {
      guard let app = try app(body, credential) else {
        // The app may have been made a moment ago: look once more when the catalog has been read again.
        let door = self
        if mayWait, patience.wait({ door.register(body, credential, requestID, responder, mayWait: false) }) { return }
        throw Problem(.badCredential, "Send the app's client key, as `upmc app create` printed it.")
      }
      var registration = try body.registration(app: app, proof: keys.authKeys.verify(credential))
      registration.isOpenedByProof = registration.proof != nil
      perform(.register(registration), requestID, responder, sendRegistered)
    } catch {
      responder.send(error, requestID: requestID)
    }
  }

  private func sendRegistered(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .registered(let registered) = answer else { return }
    let device = registered.device
    responder.send(status: registered.isNew ? .created : .ok) { writer in
      writer.member("device", device.device.description)
      writer.member(
        "authKey",
        keys.authKeys.make(
          device: device.device, epoch: device.authEpoch, isAsked: !registered.givesFullKey))
      writer.member("badge", registered.badge)
      Self.write(standingOf: device, name: registered.userName, to: &writer)
    }
  }

  /// The app by the client key, or (for a device that proves itself) by its name. Nil when the key is unknown.
  private func app(_ body: RegistrationBody, _ credential: String) throws(Problem) -> App? {
    if let app = catalog.app(clientKey: credential) {
      guard app.appID == body.appID else {
        throw Problem(.forbidden, "This client key belongs to another app than \(body.appID).")
      }
      return app
    }
    guard let proof = keys.authKeys.verify(credential) else { return nil }
    // A device's id is made of its app's: the key of another app's device is another device's.
    guard proof.device.sharesInstallation(with: body.device) else {
      throw Problem(.forbidden, "This authKey belongs to another device. Register with the app's client key.")
    }
    return catalog.app(id: body.appID)
  }

  /// The user, what the binding to it was made with, and whether a push has to be brought back first.
  static func write(standingOf device: Devices.Record, name: String, to writer: inout JSONWriter) {
    if let clientUID = device.userKey.clientUID {
      writer.member(
        "user",
        object: { writer in
          writer.member("clientUid", clientUID)
          writer.member("clientName", name)
        })
    } else {
      writer.name("user")
      writer.null()
    }
    writer.member("identity", device.userKey.isGuest ? nil : device.identity.name)
    writer.member("awaitsPush", device.pending != nil)
  }
}

/// What the body of a registration says.
private struct RegistrationBody {
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
  /// The address that the limit of new devices counts. It comes from the connection, not from the body.
  var origin: IPAddress?

  init(_ reader: inout JSONReader) throws(JSONError) {
    var body = self
    try reader.readObject { (reader, key) throws(JSONError) in
      let short = Domain.Limits.attributeBytes
      switch key {
      case "appId": body.appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "pnsId":
        guard let network = PushNetwork(pnsID: try reader.readString()) else { throw JSONError("must be APNS or FCM") }
        body.network = network
      case "environment":
        guard let environment = PushEnvironment(name: try reader.readString()) else {
          throw JSONError("must be production or sandbox")
        }
        body.environment = environment
      case "psid": body.psid = try reader.readText(upTo: Domain.Limits.psidBytes)
      case "deviceId": body.deviceID = try reader.readText(upTo: Domain.Limits.deviceIDBytes)
      case "clientUid": body.clientUID = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      case "clientName": body.clientName = try reader.readName()
      case "platform": body.attributes.platform = try reader.readText(upTo: short)
      case "model": body.attributes.model = try reader.readText(upTo: short)
      case "osVersion": body.attributes.osVersion = try reader.readText(upTo: short)
      case "appVersion": body.attributes.appVersion = try reader.readText(upTo: short)
      case "locale": body.attributes.locale = try reader.readText(upTo: short)
      case "timeZone": body.attributes.timeZone = try reader.readString()
      case "consent": body.consents = try Consents.Change(&reader)
      case "userProof": body.userProof = try reader.readText(upTo: Domain.Limits.userProofBytes)
      default: throw .unknownField
      }
    }
    try reader.finish()
    for (name, value) in [("appId", body.appID), ("psid", body.psid), ("deviceId", body.deviceID)] where value.isEmpty {
      throw JSONError("is needed").inside(name)
    }
    self = body
  }

  /// The device that registers.
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

extension JSONReader {
  /// A display name: may be empty.
  mutating func readName() throws(JSONError) -> String {
    let name = try readString()
    guard name.utf8.count <= Domain.Limits.clientNameBytes else {
      throw JSONError("is longer than \(Domain.Limits.clientNameBytes) bytes")
    }
    return name
  }
}
