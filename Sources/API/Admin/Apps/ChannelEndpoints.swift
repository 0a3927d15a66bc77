internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for broadcast channels of APNs.
extension Endpoint {
  static let channels: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/apps/{appId}/channels", id: "createChannel", in: .messages, "Make a broadcast channel",
      """
      At Apple, for Live Activities that follow it (iOS 18): one update reaches all of them. An app has 10,000 channels in \
      an environment at most. Apple must have given the app's identifier the broadcast capability.
      """, by: .permission(.send), load: .heavy,
      body: Body(
        ChannelService.New.object,
        examples: [
          ("match", #"{"name":"match-7","environment":"production","storage":"latest"}"#),
          ("adopted", #"{"name":"match-6","apnsChannelId":"dHN0LXNyY2gtY2hubA=="}"#),
        ]),
      answers: [Answer(201, "It is made.", ChannelService.Entry.object, example: channel)],
      problems: [.unknownApp, .conflict, .impossible, .notConfigured, .networkAway],
      handler: .whole(AdminCall.createChannel)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}/channels", id: "listChannels", in: .messages, "List an app's broadcast channels",
      "Oldest first.", by: .permission(.viewMessages),
      parameters: [
        .query(
          "environment", JSONSchema.words(PushEnvironment.allCases.map(\.name)), "Only of this environment."),
        .limit, .cursor,
      ],
      answers: [Answer(200, "A page.", ItemPage<ChannelService.Entry>.object, example: Answer.page(channel))],
      problems: [.unknownApp], handler: .whole(AdminCall.channels)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}/channels/{channelId}", id: "showChannel", in: .messages,
      "Ask how a broadcast channel stands", "Also whether Apple has taken the latest update.",
      by: .permission(.viewMessages),
      answers: [Answer(200, "The channel.", ChannelService.Entry.object, example: channel)],
      problems: [.unknownApp, .unknownChannel], handler: .whole(AdminCall.channel)),
    Endpoint(
      .delete, "/v1/admin/apps/{appId}/channels/{channelId}", id: "deleteChannel", in: .messages,
      "Delete a broadcast channel", "At Apple, then here. Activities that follow it get nothing any more.",
      by: .permission(.send), load: .heavy, answers: [Answer(204, "It is gone.")],
      problems: [.unknownApp, .unknownChannel, .impossible, .notConfigured, .networkAway],
      handler: .whole(AdminCall.deleteChannel)),
    Endpoint(
      .post, "/v1/admin/apps/{appId}/channels/{channelId}/updates", id: "publishOnChannel", in: .messages,
      "Publish on a broadcast channel",
      """
      Answered as soon as it is stored. Apple takes about one update a second on a channel: what comes faster waits, and \
      the latest one wins, so that what was there before is never published. With an `Idempotency-Key` (per channel, for a \
      day) the request may be repeated.
      """, by: .permission(.send), parameters: [.idempotencyKey],
      body: Body(
        ChannelUpdate.object,
        examples: [
          (
            "goal",
            """
            {"liveActivity":{"event":"update","timestamp":1795685400,"contentState":{"home":2,"away":1}},\
            "alert":{"title":"Goal","body":"2 : 1"}}
            """
          ),
          (
            "end",
            #"{"liveActivity":{"event":"end","timestamp":1795690800,"dismissalDate":1795694400},"priority":5}"#
          ),
        ]),
      answers: [
        Answer(
          202, "It is stored.", ChannelPublishing.Accepted.object,
          example: #"{"channelId":"3","version":17,"state":"queued"}"#)
      ],
      problems: [.unknownApp, .unknownChannel, .impossible, .payloadTooLarge, .idempotencyConflict],
      handler: .whole(AdminCall.publishOnChannel)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}/channels-at-apple", id: "listChannelsAtApple", in: .messages,
      "List the channels that Apple has",
      "With our number of each. One without a number was made elsewhere, or by a request whose answer was lost: adopt it.",
      by: .permission(.viewMessages), load: .heavy,
      parameters: [
        .query(
          "environment", JSONSchema.words(PushEnvironment.allCases.map(\.name)), "Of which environment.", isNeeded: true
        )
      ],
      answers: [
        Answer(
          200, "All of them.", ChannelService.AllAtApple.object,
          example: #"{"items":[{"apnsChannelId":"dHN0LXNyY2gtY2hubA==","channelId":"3"}]}"#)
      ],
      problems: [.unknownApp, .impossible, .notConfigured, .networkAway], handler: .whole(AdminCall.channelsAtApple)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let channelSchemas: [JSONTree.Member] = [
    ChannelService.New.object.named, ChannelService.Entry.object.named, ItemPage<ChannelService.Entry>.object.named,
    ChannelUpdate.object.named, ChannelPublishing.Accepted.object.named, ChannelService.AllAtApple.object.named,
  ]

  private static let channel = """
    {"channelId":"3","apnsChannelId":"dHN0LXNyY2gtY2hubA==","name":"match-7","environment":"production",\
    "storage":"latest","createdAt":"2026-11-21T09:30:00.123Z","version":17,"isWaiting":false,\
    "publishedAt":"2026-11-21T10:30:00.123Z","word":null}
    """
}

extension AdminCall {
  private func directory() throws(Problem) -> any ChannelDirectory {
    guard let channels = resources.channels else {
      throw Problem(.notConfigured, "This server has no way to Apple's channels.")
    }
    return channels.directory
  }

  private var channelNumber: Int64? { SequenceNumber.parse(parameters["channelId"]) }

  fileprivate func createChannel() throws(Problem) -> Response {
    .json(
      .created,
      try ChannelService.create(
        parameters["appId"], try body(ChannelService.New.object), at: try directory(), by: caller, on: connection))
  }

  fileprivate func channels() throws(Problem) -> Response {
    .json(
      .ok,
      try ChannelService.list(
        parameters["appId"], in: query["environment"], try page(), by: caller, on: connection))
  }

  fileprivate func channel() throws(Problem) -> Response {
    .json(.ok, try ChannelService.find(channelNumber, of: parameters["appId"], by: caller, on: connection))
  }

  fileprivate func deleteChannel() throws(Problem) -> Response {
    try ChannelService.delete(
      channelNumber, of: parameters["appId"], at: try directory(), by: caller, on: connection)
    return .done
  }

  fileprivate func publishOnChannel() throws(Problem) -> Response {
    let accepted = try ChannelPublishing.publish(
      try jsonBody(), on: channelNumber, of: parameters["appId"],
      idempotencyKey: request.header("idempotency-key"), by: caller, on: connection)
    resources.channels?.updated()
    return .json(.accepted, accepted)
  }

  fileprivate func channelsAtApple() throws(Problem) -> Response {
    .json(
      .ok,
      try ChannelService.atApple(
        parameters["appId"], in: try required("environment"), at: try directory(), by: caller, on: connection))
  }
}
