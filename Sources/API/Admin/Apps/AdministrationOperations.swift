internal import JSON
internal import Operations
internal import Domain
internal import HTTPServer

/// Apps, groups, and devices that are put aside.
extension Endpoint {
  static let groups: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/groups", id: "createGroup", in: .administration, "Make a group",
      "Groups form a tree: a message to a group goes to those below it too. Names differ below one parent.",
      by: .permission(.manageGroups),
      body: Body(
        schema: "NewGroup",
        examples: [("top", #"{"appId":"com.example.bank","name":"News"}"#)]),
      answers: [Answer(201, "The group is made.", "GroupCreated", example: #"{"groupSeq":"12"}"#)],
      problems: [.unknownApp, .unknownGroup, .conflict], handler: .whole(AdminCall.createGroup))
  ]

  static let apps: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/apps/{appId}/resume", id: "resumeApp", in: .administration,
      "Let the messages of a paused app go on",
      "An app is paused by itself when a flood of refusals shows that a setting is wrong. Mend that first.",
      by: .permission(.manageApps),
      answers: [Answer(200, "The app is not paused.", "App", example: app)], problems: [.unknownApp],
      handler: .whole(AdminCall.resumeApp))
  ]

  static let app = """
    {"appId":"com.example.bank","name":"Example Bank","timeZone":"Asia/Seoul","clientKey":"upmc_f1c8c6b5e2",\
    "deviceSends":0,"devicePolicy":"multi","identity":"proof","observedIdentity":null,"graceEndsAt":null,\
    "keepsUserOnRefresh":false,"confidentialTo":"proved","tellsDevices":false,"confidentialLanes":["urgent"],\
    "confidentialSdkSends":false,"badgeSync":false,"approvalAbove":null,"extension":true,"pausedReason":null}
    """

  static let quarantine: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/quarantine", id: "listQuarantine", in: .administration, "List devices that are put aside",
      "Their network refused the token. They keep everything they have, and come back when they register again.",
      by: .permission(.manageQuarantine), load: .heavy,
      parameters: [
        .query("appId", JSONSchema.appID, "Whose devices.", isNeeded: true), .limit,
        .cursor,
      ],
      answers: [
        Answer(
          200, "A page of devices.", "QuarantinePage",
          example: """
            {"items":[{"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","pnsId":"APNS",\
            "environment":"production","psidPrefix":"00fc13ad","reason":"BadDeviceToken","seqno":"104",\
            "at":"2026-11-21T09:30:00.123Z"}],"nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.quarantine)),
    Endpoint(
      .post, "/v1/admin/quarantine/restore", id: "restoreQuarantine", in: .administration, "Give devices back",
      "One, those put aside since a time, or all. What was skipped meanwhile is not sent again.",
      by: .permission(.manageQuarantine),
      body: Body(
        schema: "Restoration",
        examples: [
          ("all", #"{"appId":"com.example.bank","all":true}"#),
          ("since", #"{"appId":"com.example.bank","since":"2026-11-21T09:00:00Z"}"#),
        ]),
      answers: [Answer(200, "How many came back.", "Restored", example: #"{"restored":3}"#)],
      problems: [.unknownApp, .unknownDevice], handler: .whole(AdminCall.restoreQuarantine)),
  ]
}
