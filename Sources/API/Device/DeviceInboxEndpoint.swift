internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoint that lists the inbox of a device's user.
extension Endpoint {
  static let deviceInbox: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/inbox", id: "listInbox", in: .devices, "List the inbox of the device's user",
      """
      What was sent with `inbox`, newest first, until it ends: each message as this device's push shows it, in its \
      language and with the user's values. It is the user's, on all devices. A guest's is the device's own, and ends \
      when the device becomes a user's or leaves; while the device awaits the push that makes it a user's, its inbox \
      is empty. In apps whose identity is `proof` or `strict`, a device sees nothing of its user's until it meets that \
      identity. Where nobody vouches for its user (`open`), it sees only what was sent since it has had this user and \
      this token. An entry is read by `POST /v1/reads` with its `seqno`, this device's PSID and the `pushkey` of its \
      payload, like the push; read on one device it is read on all.
      """, by: .authKey,
      parameters: [
        .query(
          "limit", JSONSchema.number(1...Int64(Operations.Limits.inboxPageMost)), "How many at most; 20 when absent."),
        .cursor,
      ],
      answers: [
        Answer(
          200, "A page of the inbox.", InboxPage.Shown.object,
          example: """
            {"items":[{"seqno":"104","sentAt":"2026-11-21T09:30:00.123Z","endsAt":"2027-02-19T09:30:00.123Z",\
            "readAt":null,"payload":{"aps":{"alert":{"title":"News","body":"Hello"}},\
            "mps":{"appid":"com.example.bank","seqno":"104","sender":"admin","senddate":"2026112118","db_in":"Y",\
            "pushkey":"0123456789012345678901234567890123456789"}}}],"unread":1,"nextCursor":null}
            """)
      ], problems: [.invalidField], handler: .device(DeviceHandler.listInbox))
  ]

  /// The named schema that this endpoint adds to the OpenAPI document (`Schemas`).
  static let deviceInboxSchemas: [JSONTree.Member] = [InboxPage.Shown.object.named]
}

extension DeviceHandler {
  func listInbox(
    _ request: Request, _ parameters: PathParameters, _ query: QueryParameters, _ responder: Responder
  ) throws(Problem) {
    let claim = try claim(request, parameters)
    let part = try InboxQuestion(limit: query["limit"], cursor: query["cursor"])
    perform(.inbox(claim, part), request, responder) { answer, responder in
      guard case .inbox(let page) = answer else { return }
      responder.send(InboxPage.Shown.object, page.shown(by: self.keys.pushkeys))
    }
  }
}
