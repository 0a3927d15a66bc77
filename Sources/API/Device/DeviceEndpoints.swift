internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for registration, lookup and unregistration of a device.
extension Endpoint {
  static let devices: [Endpoint] = [
    Endpoint(
      .post, "/v1/devices", id: "registerDevice", in: .devices, "Register a device, with a user or without",
      """
      Registering again is an update of the same device, found by its `deviceId`. The last registration wins: a push \
      token belongs to one device, a device to one user. Without `clientUid` the user stays as it is; `GUEST` means nobody.

      A new token for a known device keeps the user when the device proves itself with its authKey (in place of the \
      client key). Otherwise it is another device, a guest, and the one that was there stays as it is: a `deviceId` is \
      no secret. In apps whose identity is `proof` or `strict` a `clientUid` needs the app's own server: a \
      `userProof`, or a voucher made at log-in; and a token whose device has a user is moved by nothing less, \
      except back to the vouched user's device that had it last, by that device's authKey. `clientName` names a user \
      who has no name yet; only where somebody vouches for it does it replace another, because it stands in messages \
      to that user.

      The authKey that a new device gets, or one whose user was vouched for, shows that it is this device. In `open`, \
      one that a known device gets with the client key alone proves no more than its token: keep the first. In `strict` \
      this also holds for a device that has a user, even if that user is vouched for: the answer has `awaitsPush`, and \
      the device gets its key when it returns a push (`…/possession`).

      An authKey registers only its own device, and ends when that device unregisters. In `proof` and `strict`, a \
      guest's key also ends when its device registers with the client key, or registers a new token: the answer has \
      the next key, and with the client key the guest's further tokens end too.

      Devices that nobody knows yet are counted by the client's address and by the app; too many an hour are told 429. \
      Known devices never are.
      """, by: .clientKey,
      body: Body(
        schema: RegistrationBody.named.name,
        examples: [
          (
            "withUser",
            """
            {"appId":"com.example.bank","pnsId":"APNS","environment":"production",\
            "psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0","deviceId":"my-phone",\
            "clientUid":"kim01","clientName":"Kim","platform":"iOS","model":"iPhone15,2","osVersion":"18.1",\
            "appVersion":"3.2.0","locale":"ko-KR","timeZone":"Asia/Seoul",\
            "consent":{"notification":true,"ad":true,"nightAd":false}}
            """
          ),
          (
            "serviceOnly",
            """
            {"appId":"com.example.bank","psid":"11fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "deviceId":"another-phone"}
            """
          ),
        ], bytes: Operations.Limits.deviceCallBytes),
      answers: [
        Answer(
          201, "The device is new.", Registered.object, example: registered,
          links: [
            Link("showDevice", "device", "$response.body#/device"),
            Link("showBadge", "device", "$response.body#/device"),
            Link("listGroups", "device", "$response.body#/device"),
            Link("setUser", "device", "$response.body#/device"),
            Link("unregisterDevice", "device", "$response.body#/device"),
          ]),
        Answer(
          200, "The device was known; it has been updated.", Registered.object, example: registered,
          links: [
            Link("showDevice", "device", "$response.body#/device"),
            Link("setBadge", "device", "$response.body#/device"),
            Link("clearUser", "device", "$response.body#/device"),
          ]),
      ], problems: [.badUserProof, .userMismatch, .tooManyRequests], handler: .device(DeviceHandler.register)),
    Endpoint(
      .get, "/v1/devices/{device}", id: "showDevice", in: .devices, "Is the device registered?",
      "The registration as it stands. Of the push token only the beginning is shown.", by: .authKey,
      answers: [
        Answer(
          200, "It is registered.", ShownDevice.object,
          example: """
            {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","pnsId":"APNS","environment":"production",\
            "psid":"00fc13ad","badge":3,"consent":{"notification":null,"ad":null,"nightAd":null},\
            "user":{"clientUid":"kim01","clientName":"Kim"},"identity":"proof","awaitsPush":false}
            """)
      ], handler: .device(DeviceHandler.show)),
    Endpoint(
      .delete, "/v1/devices/{device}", id: "unregisterDevice", in: .devices, "Unregister the device",
      "Nothing more is sent to it, and its authKeys end.", by: .authKey,
      answers: [Answer(204, "It is not registered any more.")], handler: .device(DeviceHandler.unregister)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let deviceSchemas: [JSONTree.Member] = [
    RegistrationBody.named, RegistrationBody.object(.apns).named, RegistrationBody.object(.fcm).named,
    Registered.object.named, ShownDevice.object.named,
  ]

  private static let registered = """
    {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b",\
    "authKey":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b.0.9c1185a5c5e9fc54612808977ee8f548b2258d31",\
    "badge":3,"user":{"clientUid":"kim01","clientName":"Kim"},"identity":"proof","awaitsPush":false}
    """
}

extension DeviceHandler {
  func show(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.find(try claim(request, parameters)), request, responder) { answer, responder in
      guard case .found(let device, let badge, let userName) = answer else { return }
      let userState = DeviceUserState(device: device, userName: userName)
      responder.send(ShownDevice.object, ShownDevice(userState: userState, badge: badge))
    }
  }

  func unregister(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.unregister(try claim(request, parameters)), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }
}
