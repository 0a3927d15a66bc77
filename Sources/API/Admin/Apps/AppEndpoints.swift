internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for apps and their settings.
extension Endpoint {
  static let apps: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/apps/{appId}/resume", id: "resumeApp", in: .administration,
      "Let the messages of a paused app go on",
      "An app is paused by itself when a flood of refusals shows that a setting is wrong. Fix that first.",
      by: .permission(.manageApps),
      answers: [Answer(200, "The app is not paused.", Administration.AppEntry.object, example: exampleApp)],
      problems: [.unknownApp],
      handler: .whole(AdminCall.resumeApp)),
    Endpoint(
      .get, "/v1/admin/apps", id: "listApps", in: .administration, "List apps",
      "Those that the credential reaches, by id.",
      by: .permission(.viewMessages), parameters: [.limit, .cursor],
      answers: [
        Answer(200, "A page of apps.", ItemPage<Administration.AppEntry>.object, example: Answer.page(exampleApp))
      ],
      problems: [.invalidField],
      handler: .whole(AdminCall.apps)),
    Endpoint(
      .post, "/v1/admin/apps", id: "createApp", in: .administration, "Make an app",
      "The client key goes into the app; it only identifies it.", by: .permission(.manageApps),
      body: Body(
        Administration.NewApp.object,
        examples: [("app", #"{"appId":"com.example.shop","name":"Example Shop","timeZone":"Asia/Seoul"}"#)]),
      answers: [
        Answer(
          201, "The app is made.", Administration.AppCreated.object,
          example: #"{"appId":"com.example.shop","clientKey":"f1c8c6b5e2","identity":"proof"}"#)
      ], problems: [.conflict], handler: .whole(AdminCall.createApp)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}", id: "showApp", in: .administration, "Show an app and its settings",
      "Also why it is paused, if it is.", by: .permission(.viewMessages),
      answers: [Answer(200, "The app.", Administration.AppEntry.object, example: exampleApp)], problems: [.unknownApp],
      handler: .whole(AdminCall.app)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}/identity", id: "showAppIdentity", in: .administration,
      "Show how an app's identity stands",
      "What a stricter one would refuse, and how many devices it would make guests.", by: .permission(.viewMessages),
      answers: [
        Answer(
          200, "As it stands.", Administration.IdentityStanding.object,
          example: """
            {"appId":"com.example.bank","identity":"open","observedIdentity":"proof","graceEndsAt":null,\
            "unprovedBindings":{"proof":120,"strict":4120},"unprovedRegistrations":13,"callsByAskedKeys":2,"guestsByNewToken":0}
            """)
      ], problems: [.unknownApp], handler: .whole(AdminCall.appIdentity)),
    Endpoint(
      .patch, "/v1/admin/apps/{appId}", id: "changeApp", in: .administration, "Change settings of an app",
      """
      What is not named stays as it is. A stricter identity is observed first where devices have a user by less; then it \
      takes their number or a higher one (`unprovedBindings`), and they become guests 30 days later.
      """, by: .permission(.manageApps), needsFreshSignIn: true,
      body: Body(
        Administration.AppChange.object,
        examples: [
          ("name", #"{"name":"Example Bank","timeZone":"Asia/Seoul"}"#),
          ("policies", #"{"devicePolicy":"single","badgeSync":true,"deviceSends":10}"#),
          ("android", ##"{"android":{"channelId":"bank","icon":"ic_bank","color":"#1A73E8"}}"##),
          ("observed", #"{"observedIdentity":"strict","tellsDevices":true}"#),
        ]),
      answers: [Answer(200, "As it is now.", Administration.AppEntry.object, example: exampleApp)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.changeApp)),
    Endpoint(
      .post, "/v1/admin/apps/{appId}/client-key", id: "replaceClientKey", in: .administration,
      "Give an app another client key",
      """
      The present one identifies the app too, for as long as you say: it is inside every copy of the app. Both are shown with \
      the app.
      """, by: .permission(.manageApps), needsFreshSignIn: true,
      body: Body(
        Administration.NewClientKey.object,
        examples: [("a year", #"{"keepFormerFor":"P365D"}"#), ("until it is ended", "{}")]),
      answers: [Answer(200, "The app, with both keys.", Administration.AppEntry.object, example: exampleApp)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.replaceClientKey)),
    Endpoint(
      .delete, "/v1/admin/apps/{appId}/client-key/former", id: "endFormerClientKey", in: .administration,
      "End an app's former client key", "Copies of the app that have it can register no more.",
      by: .permission(.manageApps), needsFreshSignIn: true,
      answers: [Answer(200, "The app, with one key.", Administration.AppEntry.object, example: exampleApp)],
      problems: [.unknownApp, .notFound], handler: .whole(AdminCall.endFormerClientKey)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let appSchemas: [JSONTree.Member] = [
    Administration.AppEntry.object.named, Administration.IdentityStanding.object.named,
    ItemPage<Administration.AppEntry>.object.named, Administration.NewApp.object.named,
    Administration.AppCreated.object.named, Administration.AppChange.object.named,
    Administration.NewClientKey.object.named,
  ]

  static let exampleApp = exampleApp(#""pausedReason":null,"state":"active","purgeAfter":null,"purgedRows":null"#)

  /// Returns an app as JSON, for examples.
  /// - Parameter state: the last members as JSON without braces: `pausedReason`, `state`, `purgeAfter` and
  ///   `purgedRows`.
  static func exampleApp(_ state: String) -> String {
    """
    {"appId":"com.example.bank","name":"Example Bank","timeZone":"Asia/Seoul","clientKey":"upmc_f1c8c6b5e2",\
    "deviceSends":0,"devicePolicy":"multi","identity":"proof","observedIdentity":null,"graceEndsAt":null,\
    "keepsUserOnRefresh":false,"confidentialTo":"proved","tellsDevices":false,"confidentialLanes":["urgent"],\
    "confidentialSdkSends":false,"badgeSync":false,"approvalAbove":null,"extension":true,"android":{"channelId":"bank"},\
    "formerClientKey":null,"formerClientKeyEndsAt":null,\(state)}
    """
  }
}

extension AdminCall {
  fileprivate func apps() throws(Problem) -> Response {
    .json(.ok, try Administration.apps(try page(), by: caller, on: connection))
  }

  fileprivate func createApp() throws(Problem) -> Response {
    let new = try body(Administration.NewApp.object)
    return .json(
      .created,
      try Administration.createApp(
        new.appID, name: new.name, timeZone: new.timeZone, identity: new.identity, by: caller, on: connection))
  }

  fileprivate func app() throws(Problem) -> Response {
    .json(.ok, try Administration.app(parameters["appId"], by: caller, on: connection))
  }

  fileprivate func appIdentity() throws(Problem) -> Response {
    .json(.ok, try Administration.identity(of: parameters["appId"], by: caller, on: connection))
  }

  fileprivate func changeApp() throws(Problem) -> Response {
    let change = try body(Administration.AppChange.object)
    return .json(.ok, try Administration.change(parameters["appId"], change, by: caller, on: connection))
  }

  fileprivate func replaceClientKey() throws(Problem) -> Response {
    let new = try body(Administration.NewClientKey.object)
    return .json(
      .ok, try Administration.replaceClientKey(of: parameters["appId"], new, by: caller, on: connection))
  }

  fileprivate func endFormerClientKey() throws(Problem) -> Response {
    .json(.ok, try Administration.endFormerClientKey(of: parameters["appId"], by: caller, on: connection))
  }

  fileprivate func resumeApp() throws(Problem) -> Response {
    let entry = try Administration.resumeApp(parameters["appId"], by: caller, on: connection)
    resources.messageCommitted()
    return .json(.ok, entry)
  }
}
