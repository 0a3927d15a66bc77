internal import JSON
internal import Operations
internal import Domain
internal import HTTPServer

/// Apps.
extension Endpoint {
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
}
