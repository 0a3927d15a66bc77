internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for the user of a device.
extension Endpoint {
  static let deviceUser: [Endpoint] = [
    Endpoint(
      .put, "/v1/devices/{device}/user", id: "setUser", in: .devices, "Register the device's user",
      """
      Whatever the device had as a guest ends. `GUEST` is reserved and means nobody. If the app lets a user have one \
      device only, the user's other devices become guests in the same commit.
      """, by: .authKey,
      body: Body(
        UserBody.object, examples: [("user", #"{"clientUid":"kim01","clientName":"Kim"}"#)],
        bytes: Operations.Limits.deviceCallBytes),
      answers: [
        Answer(
          200, "The device belongs to this user.", ShownUser.object,
          example:
            #"{"authKey":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b.1.384c4d0e5fc54612808977ee8f548b2258d31a0c","user":{"clientUid":"kim01","clientName":"Kim"},"identity":"proof","awaitsPush":false}"#
        )
      ], problems: [.badUserProof], handler: .device(DeviceHandler.setUser)),
    Endpoint(
      .post, "/v1/devices/{device}/possession", id: "provePossession", in: .devices, "Prove possession of a push token",
      """
      In apps that are `strict` a device shows that pushes reach it: with the silent push that follows the \
      registration, or with any other since. Only then is it the user's. Its former authKey ends, and the answer has a \
      new one: in this way a device whose key proves no more than its token gets a full key. If that answer is lost, \
      the same call is answered again for a day, even with the former authKey. For a device that awaits no push, the \
      answer shows its present state.
      """, by: .authKey,
      body: Body(
        Possession.object,
        examples: [
          (
            "silent",
            """
            {"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"0123456789012345678901234567890123456789"}
            """
          )
        ], bytes: Operations.Limits.deviceCallBytes),
      answers: [
        Answer(
          200, "The device as it stands.", ShownUser.object,
          example:
            #"{"authKey":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b.1.384c4d0e5fc54612808977ee8f548b2258d31a0c","user":{"clientUid":"kim01","clientName":"Kim"},"identity":"strict","awaitsPush":false}"#
        )
      ], problems: [.impossible], handler: .device(DeviceHandler.provePossession)),
    Endpoint(
      .delete, "/v1/devices/{device}/user", id: "clearUser", in: .devices, "Unregister the device's user",
      "The device becomes a guest: it still gets what is sent to everyone.", by: .authKey,
      answers: [Answer(204, "The device belongs to nobody.")], handler: .device(DeviceHandler.clearUser)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let deviceUserSchemas: [JSONTree.Member] = [
    ShownUser.object.named, Possession.object.named, DeviceUserState.user.named, UserBody.object.named,
  ]
}

extension DeviceHandler {
  func setUser(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let user = try Self.body(UserBody.object, request)
    let named = NamedUser(clientUID: user.clientUID, name: user.clientName, proof: user.userProof)
    perform(.setUser(claim, named), request, responder) { answer, responder in
      guard case .found(let device, _, let userName) = answer else { return }
      self.sendStanding(device, userName, claim, responder)
    }
  }

  func provePossession(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let push = try Self.body(Possession.object, request)
    let token = PushNetwork.apns.normalize(psid: push.psid) ?? push.psid
    guard keys.pushkeys.proof(push.pushkey, seqno: String(push.seqno), psid: token) != nil else {
      throw Problem(.forbidden, "This pushkey is not that of the message \(push.seqno) for this token.")
    }
    perform(.possess(claim, seqno: push.seqno, psid: token), request, responder) { answer, responder in
      guard case .found(let device, _, let userName) = answer else { return }
      self.sendStanding(device, userName, claim, responder)
    }
  }

  /// Answers with the device's user and a new authKey, because earlier ones may have become invalid.
  /// - Parameter claim: the authKey of the request. If it proves only the token, so does the new authKey, unless the
  ///   request has ended the earlier authKeys, as it does when the user is vouched for.
  private func sendStanding(
    _ device: Devices.Record, _ userName: String, _ claim: AuthKeyring.Claim, _ responder: Responder
  ) {
    let renewed = claim.renewed(for: device)
    responder.send(
      ShownUser.object,
      ShownUser(
        userState: DeviceUserState(device: device, userName: userName),
        authKey: keys.authKeys.make(device: renewed.device, epoch: renewed.epoch, isTokenOnly: renewed.isTokenOnly)))
  }

  func clearUser(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.clearUser(try claim(request, parameters)), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }
}

/// The request body with which a device names its user, and optionally the user's name and a proof of the user.
struct UserBody {
  var clientUID = ""
  var clientName = ""
  var userProof: String?

  static let object = JSONObject(
    "NamedUser", from: UserBody(),
    [
      .required("clientUid", .clientUID, \.clientUID), .given("clientName", .clientName, \.clientName),
      .given("userProof", .userProof, \.userProof, aboutProof),
    ])

  static let aboutProof = """
    Vouches for the user: by the app's own server, with the app's secret: the HMAC-SHA-256 of the clientUid in hex, \
    or a JSON Web Token (HS256) with sub and exp.
    """
}

/// Body with the push whose arrival at the device proves that the caller has the device.
private struct Possession {
  var seqno = Seqno.zero
  var psid = ""
  var pushkey = ""

  static let object = JSONObject(
    "Possession", from: Possession(),
    [
      .required("seqno", .sequence, \.seqno, "SEQNO of the push."),
      .required(
        "psid", .text(upTo: Domain.Limits.psidBytes), \.psid, "PSID: the token that it went to."),
      .required("pushkey", .anyText, \.pushkey, "As it stands in the push."),
    ])
}
