internal import JSON
internal import Operations
internal import Domain
internal import HTTPServer

/// Tags, saved segments and files: who is who.
extension Endpoint {
  private static let appIDQuery = Parameter.query("appId", JSONSchema.appID, "Which app.", isNeeded: true)

  static let tags: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/tags", id: "changeTags", in: .audiences, "Give tags to users or devices, or take them away",
      """
      Up to 10,000 at once. A user's tags hold on all its devices, and may be given before it registers; a device's tags \
      belong to the installation. With `set` all other tags go. Repeating the call changes nothing.
      """, by: .permission(.manageAudiences), load: .heavy,
      body: Body(
        schema: "TagChange",
        examples: [
          ("users", #"{"appId":"com.example.bank","clientUids":["kim01","lee02"],"add":["vip"],"remove":["trial"]}"#),
          (
            "devices",
            #"{"appId":"com.example.bank","devices":["b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b"],"set":["tester"]}"#
          ),
        ]),
      answers: [Answer(200, "Who has them now.", "TagsChanged", example: #"{"changed":2,"unknown":[]}"#)],
      problems: [.unknownApp, .impossible], handler: .whole(AdminCall.changeTags)),
    Endpoint(
      .get, "/v1/admin/tags", id: "showTags", in: .audiences, "Ask for the tags of a user or a device",
      "With neither `clientUid` nor `device`: all tags that anybody has.", by: .permission(.manageAudiences),
      parameters: [
        appIDQuery,
        .query("clientUid", Schemas.clientUID, "Of this user."),
        .query("device", JSONSchema.uuid, "Of this device."),
      ],
      answers: [Answer(200, "The tags.", "Tags", example: #"{"tags":["vip"]}"#)],
      problems: [.invalidField, .unknownApp, .unknownDevice, .impossible], handler: .whole(AdminCall.tags)),
  ]

  static let segments: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/segments", id: "createSegment", in: .audiences, "Save a segment",
      "An audience by condition, under a name. A message takes a copy of what it says.",
      by: .permission(.manageAudiences),
      body: Body(
        schema: "NewSegment",
        examples: [("loyal", #"{"appId":"com.example.bank","name":"Loyal","conditions":\#(conditions)}"#)]),
      answers: [Answer(201, "It is saved.", "SavedSegment", example: segment)],
      problems: [.unknownApp, .conflict, .impossible], handler: .whole(AdminCall.createSegment)),
    Endpoint(
      .get, "/v1/admin/segments", id: "listSegments", in: .audiences, "List the segments of an app", "Oldest first.",
      by: .permission(.viewMessages), parameters: [appIDQuery, .limit, .pageCursor],
      answers: [Answer(200, "A page.", "SegmentPage", example: #"{"items":[\#(segment)],"nextCursor":null}"#)],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.segments)),
    Endpoint(
      .post, "/v1/admin/segment-counts", id: "countConditions", in: .audiences, "Count what a segment would have",
      "Without saving it. Exact, at this moment.", by: .permission(.viewMessages), load: .heavy,
      body: Body(
        schema: "SegmentDraft", examples: [("draft", #"{"appId":"com.example.bank","conditions":\#(conditions)}"#)]),
      answers: [Answer(200, "How many devices.", "DeviceCount", example: #"{"devices":1204}"#)],
      problems: [.unknownApp, .impossible], handler: .whole(AdminCall.countConditions)),
    Endpoint(
      .get, "/v1/admin/segments/{segment}", id: "showSegment", in: .audiences, "Ask what a segment says",
      "As it was saved last.", by: .permission(.viewMessages),
      answers: [Answer(200, "The segment.", "SavedSegment", example: segment)],
      problems: [.unknownSegment], handler: .whole(AdminCall.segment)),
    Endpoint(
      .put, "/v1/admin/segments/{segment}", id: "changeSegment", in: .audiences, "Change a segment",
      "What is left out stays. Messages that were accepted are not changed.", by: .permission(.manageAudiences),
      body: Body(schema: "SegmentChange", examples: [("name", #"{"name":"Loyal customers"}"#)]),
      answers: [Answer(200, "The segment now.", "SavedSegment", example: segment)],
      problems: [.unknownSegment, .conflict, .impossible], handler: .whole(AdminCall.changeSegment)),
    Endpoint(
      .delete, "/v1/admin/segments/{segment}", id: "deleteSegment", in: .audiences, "Delete a segment",
      "Messages that were accepted are not changed.", by: .permission(.manageAudiences),
      answers: [Answer(204, "It is gone.")],
      problems: [.unknownSegment], handler: .whole(AdminCall.deleteSegment)),
    Endpoint(
      .get, "/v1/admin/segments/{segment}/count", id: "countSegment", in: .audiences, "Count the devices of a segment",
      "Exact, at this moment.", by: .permission(.viewMessages), load: .heavy,
      answers: [Answer(200, "How many devices.", "DeviceCount", example: #"{"devices":1204}"#)],
      problems: [.unknownSegment], handler: .whole(AdminCall.countSegment)),
  ]

  static let files: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/audiences/csv", id: "uploadAudience", in: .audiences, "Upload an audience as a file",
      """
      Lines of `CUID,NAME[,VAR1 … VAR9]`; or a first line that names the columns, `CUID` before all. Up to a million lines \
      and 32 MiB, in UTF-8 or CP949 (EUC-KR). A file with a wrong line is refused and every wrong line is told, unless \
      `skipErrors` leaves them out. A user in several lines counts once, as the first says. The same file again is the same \
      audience. A file that no message uses is gone after 7 days, one that was used 30 days after its message ended.
      """, by: .permission(.send), load: .heavy,
      parameters: [
        appIDQuery,
        .query(
          "skipErrors", JSONSchema.words(["true", "false"]), "Leave wrong lines out instead of refusing the file."),
      ],
      body: Body(
        schema: "CSVFile", examples: [("lines", "CUID,NAME,VAR1\nkim01,Kim,10000\nlee02,Lee,25000\n")],
        type: "text/csv"),
      answers: [
        Answer(
          201, "It is stored: send to `{\"csv\":…}`.", "CSVStored",
          example: """
            {"csv":"5","lines":2,"duplicates":0,"encoding":"UTF-8","devices":3,"unknown":0,"unknownUsers":[],"faults":0,\
            "errors":[],"expiresAt":"2026-11-28T09:30:00.123Z"}
            """)
      ], problems: [.unknownApp, .impossible], handler: .whole(AdminCall.uploadAudience))
  ]

  private static let conditions = """
    {"platform":["ios"],"appVersion":{"from":"2.10","before":"4"},"language":["ko"],"seen":{"within":"P30D"},\
    "tags":{"any":["vip"],"none":["staff"]},"member":true,"not":{"consent":{"ad":false}}}
    """
  private static let segment = """
    {"segment":"3","name":"Loyal","conditions":\(conditions),"createdAt":"2026-11-21T09:30:00.123Z",\
    "updatedAt":"2026-11-21T09:30:00.123Z"}
    """
}
