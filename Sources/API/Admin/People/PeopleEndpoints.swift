internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for users and devices, as operators see them.
extension Endpoint {
  static let people: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/users", id: "listUsers", in: .people, "List users",
      """
      By CUID, or those whose CUID or name begins so. Without `appId` the first of all apps that the caller reaches, on one \
      page: one of `prefix` and `name` is needed then.
      """,
      by: .permission(.viewPeople), load: .heavy,
      parameters: [
        .ofApp(isNeeded: false), .query("prefix", JSONSchema.givenText, "How the CUID begins."),
        .query("name", JSONSchema.givenText, "How the name begins: then they come by name. Not beside `prefix`."),
        .limit,
        .cursor,
      ],
      answers: [
        Answer(
          200, "A page of users.", ItemPage<UserDirectory.UserEntry>.object,
          example: Answer.page(
            #"{"appId":"com.example.bank","clientUid":"kim01","clientName":"Kim","badge":2,"devices":1}"#))
      ], problems: [.invalidField, .impossible, .unknownApp], handler: .whole(AdminCall.users)),
    Endpoint(
      .get, "/v1/admin/users/{clientUid}", id: "showUser", in: .people, "Show a user", "With devices and groups.",
      by: .permission(.viewPeople), parameters: [.ofApp()],
      answers: [Answer(200, "The user.", UserDirectory.UserDetail.object, example: userExample)],
      problems: [.invalidField, .unknownApp, .unknownUser], handler: .whole(AdminCall.user)),
    Endpoint(
      .get, "/v1/admin/users/{clientUid}/messages", id: "listUserMessages", in: .people, "List what was sent to a user",
      """
      Those that were asked for in the last 90 days, newest first, on the devices that the user has now; one that was reserved \
      earlier than that is absent, whenever it went out. Of what a message says only the title, and of a \
      confidential one nothing. Messages whose deliveries are not kept are absent: those with `dbIn` false 48 hours after \
      their end, the others when the time for which history is kept is over. Who reads it is in the audit log.
      """, by: .permission(.viewPeople), load: .heavy, parameters: [.ofApp(), .limit, .cursor],
      answers: [
        Answer(
          200, "A page of messages. It may hold fewer than asked for, also none, and still have a next.",
          ItemPage<PersonHistory.Entry>.object, example: Answer.page(messageExample))
      ], problems: [.invalidField, .unknownApp, .unknownUser], handler: .whole(AdminCall.userMessages)),
    Endpoint(
      .delete, "/v1/admin/users/{clientUid}", id: "eraseUser", in: .people, "Forget a user",
      """
      Its devices are unregistered and emptied; its name, count, memberships and inbox go; its deliveries belong to nobody, so the \
      numbers of messages still add up.
      """, by: .permission(.erasePeople), parameters: [.ofApp()],
      answers: [Answer(200, "How many devices it had.", PersonRights.Erased.object, example: #"{"devices":1}"#)],
      problems: [.invalidField, .unknownApp, .unknownUser], handler: .whole(AdminCall.eraseUser)),
    Endpoint(
      .get, "/v1/admin/users/{clientUid}/export", id: "exportUser", in: .people, "Export all that is known of a user",
      """
      Its deliveries are those to the devices it has now, the newest 10,000. The export searches every message whose \
      history is kept. With many millions of them this may take minutes, longer than load balancers wait: then run \
      `upmc user export` on a server. The export is itself in the audit log.
      """,
      by: .permission(.erasePeople), load: .heavy, parameters: [.ofApp()],
      answers: [
        Answer(
          200, "Everything, by kind.", PersonRights.Export.object,
          example: """
            {"appId":"com.example.bank","clientUid":"kim01","phone":null,"user":[{"client_uid":"kim01","name":"Kim","badge":2}],\
            "devices":[],"groups":[],"testGroups":[],"badges":[],"shortMessages":[],"inbox":[],"deliveries":[]}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.exportUser)),
    Endpoint(
      .put, "/v1/admin/users/{clientUid}/badge", id: "setUserBadge", in: .people, "Set a user's badge count",
      "The last write wins, as when a device sets it.", by: .permission(.managePeople),
      body: Body(UserDirectory.NewBadge.object, examples: [("three", #"{"appId":"com.example.bank","badge":3}"#)]),
      answers: [Answer(200, "The user.", UserDirectory.UserDetail.object, example: userExample)],
      problems: [.badgeOutOfRange, .unknownApp, .unknownUser], handler: .whole(AdminCall.setUserBadge)),
    Endpoint(
      .post, "/v1/admin/users/{clientUid}/vouchers", id: "makeVoucher", in: .people, "Vouch for a user at log-in",
      """
      By the app's own server, just before the device names the user: the next device that names it is its, once. So apps \
      that cannot send a `userProof` are vouched for too. Without `deviceId` whoever knows the CUID can be faster in that \
      time. A further voucher takes the place of the one before.
      """, by: .permission(.vouch),
      body: Body(
        Administration.NewVoucher.object,
        examples: [("login", #"{"appId":"com.example.bank","expiresIn":"PT5M","deviceId":"my-phone"}"#)]),
      answers: [
        Answer(
          201, "It stands.", Administration.Voucher.object,
          example: """
            {"appId":"com.example.bank","clientUid":"kim01","deviceId":"my-phone","expiresAt":"2026-11-21T09:30:00.123Z"}
            """)
      ], problems: [.unknownApp], handler: .whole(AdminCall.vouch)),
    Endpoint(
      .get, "/v1/admin/devices", id: "listDevices", in: .people, "List devices",
      "Active ones by user, or those whose user's CUID begins so, or that have this push token.",
      by: .permission(.viewPeople), load: .heavy,
      parameters: [
        .ofApp(),
        .query("clientUid", JSONSchema.givenText, "How the CUID begins."),
        .query(
          "psid", JSONSchema.givenText.adding("minLength", .number(Operations.Limits.shownTokenBytes)),
          "The first eight characters of the push token, as lists show them, or all of it."), .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page of devices.", ItemPage<UserDirectory.DeviceEntry>.object,
          example: Answer.page(deviceExample + "}"))
      ],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.devices)),
    Endpoint(
      .get, "/v1/admin/devices/{device}", id: "describeDevice", in: .people, "Show a device",
      "Of its push token only how it begins.", by: .permission(.viewPeople),
      answers: [
        Answer(
          200, "The device.", UserDirectory.DeviceDetail.object,
          example: deviceExample
            + #","appId":"com.example.bank","consent":{"notification":true,"ad":null,"nightAd":null},"groups":[]}"#)
      ], problems: [.unknownDevice], handler: .whole(AdminCall.device)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let peopleSchemas: [JSONTree.Member] = [
    ItemPage<UserDirectory.UserEntry>.object.named,
    UserDirectory.UserDetail.object.named, ItemPage<PersonHistory.Entry>.object.named,
    PersonRights.Erased.object.named, PersonRights.Export.object.named,
    UserDirectory.NewBadge.object.named, Administration.NewVoucher.object.named, Administration.Voucher.object.named,
    ItemPage<UserDirectory.DeviceEntry>.object.named, UserDirectory.DeviceEntry.object.named,
    UserDirectory.DeviceDetail.object.named,
  ]

  private static let userExample = """
    {"appId":"com.example.bank","clientUid":"kim01","clientName":"Kim","badge":2,"devices":[\(deviceExample)}],\
    "groups":[{"groupSeq":"12","name":"News"}]}
    """

  private static let messageExample = """
    {"seqno":"104","state":"completed","lane":"normal","kind":"notice","sender":"admin","title":"News",\
    "createdAt":"2026-11-21T09:30:00.123Z","sendAt":null,"devices":[{"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b",\
    "status":"accepted","reason":null,"attempts":1,"at":"2026-11-21T09:30:00.423Z",\
    "receivedAt":"2026-11-21T09:30:01.123Z","readAt":null}],"fallback":null}
    """

  private static let deviceExample = """
    {"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","clientName":"Kim","badge":2,"pnsId":"APNS",\
    "environment":"production","psidPrefix":"00fc13ad","deviceId":"my-phone","identity":"proof",\
    "state":"active","platform":"iOS",\
    "model":"iPhone17,1","osVersion":"26.1","appVersion":"3.2.1","locale":"ko-KR","timeZone":"Asia/Seoul",\
    "registeredAt":"2026-11-21T09:30:00.123Z","boundAt":"2026-11-21T09:30:00.123Z",\
    "createdAt":"2026-11-21T09:30:00.123Z","quarantine":null
    """
}

extension AdminCall {
  fileprivate func users() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      return .json(
        .ok,
        try PeopleFinder.users(
          prefix: query["prefix"], named: query["name"], try page(), by: caller, on: connection))
    }
    guard let name = query["name"], !name.isEmpty else {
      return .json(
        .ok,
        try UserDirectory.users(of: appID, prefix: query["prefix"] ?? "", try page(), by: caller, on: connection))
    }
    guard query["prefix"] ?? "" == "" else { throw Problem(.invalidField, "name cannot stand beside prefix.") }
    return .json(.ok, try UserDirectory.users(of: appID, named: name, try page(), by: caller, on: connection))
  }

  fileprivate func user() throws(Problem) -> Response {
    .json(.ok, try UserDirectory.user(parameters["clientUid"], of: try required("appId"), by: caller, on: connection))
  }

  fileprivate func userMessages() throws(Problem) -> Response {
    .json(
      .ok,
      try PersonHistory.list(
        parameters["clientUid"], of: try required("appId"), try page(), by: caller, on: connection,
        now: now))
  }

  fileprivate func exportUser() throws(Problem) -> Response {
    .json(
      .ok,
      try PersonRights.export(
        parameters["clientUid"], of: try required("appId"), phones: resources.master.map(PhoneNumberSeal.init),
        by: caller,
        on: connection))
  }

  fileprivate func eraseUser() throws(Problem) -> Response {
    .json(.ok, try PersonRights.erase(parameters["clientUid"], of: try required("appId"), by: caller, on: connection))
  }

  fileprivate func setUserBadge() throws(Problem) -> Response {
    let new = try body(UserDirectory.NewBadge.object)
    return .json(
      .ok, try UserDirectory.setBadge(new, of: parameters["clientUid"], by: caller, on: connection, now: now))
  }

  fileprivate func vouch() throws(Problem) -> Response {
    let voucher = try body(Administration.NewVoucher.object)
    return .json(
      .created,
      try Administration.vouch(
        for: parameters["clientUid"], of: voucher.appID, deviceID: voucher.deviceID, seconds: voucher.seconds,
        by: caller, on: connection))
  }

  fileprivate func devices() throws(Problem) -> Response {
    let question: UserDirectory.DeviceQuestion =
      if let token = query["psid"] {
        .token(token)
      } else {
        .user(prefix: query["clientUid"] ?? "")
      }
    return .json(
      .ok, try UserDirectory.devices(of: try required("appId"), question, try page(), by: caller, on: connection))
  }

  fileprivate func device() throws(Problem) -> Response {
    guard let device = DeviceID(parameters["device"]) else {
      throw Problem(.unknownDevice, "A device's id is a UUID, as lists show it.")
    }
    return .json(.ok, try UserDirectory.device(device, by: caller, on: connection))
  }
}
