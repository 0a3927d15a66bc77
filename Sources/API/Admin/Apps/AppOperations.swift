internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// Apps, what opens push networks for them, API keys, and who did what.
extension Endpoint {
  static let appSettings: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/apps", id: "listApps", in: .administration, "List apps",
      "Those that the credential reaches, by id.",
      by: .permission(.viewMessages), parameters: [.limit, .pageCursor],
      answers: [Answer(200, "A page of apps.", "AppPage", example: Answer.page(app))], problems: [.invalidField],
      handler: .whole(AdminCall.apps)),
    Endpoint(
      .post, "/v1/admin/apps", id: "createApp", in: .administration, "Make an app",
      "The client key goes into the app; it only identifies it.", by: .permission(.manageApps),
      body: Body(
        schema: "NewApp",
        examples: [("app", #"{"appId":"com.example.shop","name":"Example Shop","timeZone":"Asia/Seoul"}"#)]),
      answers: [
        Answer(
          201, "The app is made.", "AppCreated",
          example: #"{"appId":"com.example.shop","clientKey":"f1c8c6b5e2","identity":"proof"}"#)
      ], problems: [.conflict], handler: .whole(AdminCall.createApp)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}", id: "showApp", in: .administration, "Show an app and its settings",
      "Also why it is paused, if it is.", by: .permission(.viewMessages),
      answers: [Answer(200, "The app.", "App", example: app)], problems: [.unknownApp], handler: .whole(AdminCall.app)),
    Endpoint(
      .get, "/v1/admin/apps/{appId}/identity", id: "showAppIdentity", in: .administration,
      "Show how an app's identity stands",
      "What a stricter one would refuse, and how many devices it would make guests.", by: .permission(.viewMessages),
      answers: [
        Answer(
          200, "As it stands.", "IdentityStanding",
          example: """
            {"appId":"com.example.bank","identity":"open","observedIdentity":"proof","graceEndsAt":null,\
            "unprovedBindings":{"proof":120,"strict":4120},"unprovedRegistrations":13,"callsByAskedKeys":2,"guestsByNewToken":0}
            """)
      ], problems: [.unknownApp], handler: .whole(AdminCall.appIdentity)),
    Endpoint(
      .patch, "/v1/admin/apps/{appId}", id: "changeApp", in: .administration, "Change settings of an app",
      """
      What is not named stays as it is. A stricter identity is observed first where devices have a user by less; then it \
      takes their number (`unprovedBindings`), and they become guests 30 days later.
      """, by: .permission(.manageApps),
      body: Body(
        schema: "AppChange",
        examples: [
          ("name", #"{"name":"Example Bank","timeZone":"Asia/Seoul"}"#),
          ("policies", #"{"devicePolicy":"single","badgeSync":true,"deviceSends":10}"#),
          ("observed", #"{"observedIdentity":"strict","tellsDevices":true}"#),
        ]),
      answers: [Answer(200, "As it is now.", "App", example: app)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.changeApp)),
    Endpoint(
      .get, "/v1/admin/credentials", id: "listCredentials", in: .administration, "List credentials",
      "What may be shown of them: never the secret.", by: .permission(.manageApps),
      parameters: [.ofApp(isNeeded: false), .limit, .pageCursor],
      answers: [
        Answer(
          200, "A page of credentials.", "CredentialPage",
          example: Answer.page(
            """
            {"appId":"com.example.bank","pnsId":"APNS","kind":"apns-key","updatedAt":"2026-11-21T09:30:00.123Z",\
            "shown":{"keyId":"ABCDE12345","teamId":"FGHIJ67890"},\
            "check":{"at":"2026-11-21T09:30:00.123Z","result":"works","word":"BadDeviceToken"}}
            """))
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.credentials)),
    Endpoint(
      .put, "/v1/admin/credentials", id: "setCredential", in: .administration, "Give an app a credential",
      """
      In place of an earlier one. It is sealed, and never given out again. An app that was paused goes on. A new APNs key is \
      tried once, by a push to a token of nobody: `check` says what Apple answered within three seconds; null: nothing yet. A \
      service account's file must name Google's address for access tokens as its `token_uri`, or the operator's.
      """, by: .permission(.manageApps),
      body: Body(
        schema: "NewCredential",
        examples: [
          (
            "key",
            """
            {"appId":"com.example.bank","apnsKey":{"pem":"\(examplePEM)","keyId":"ABCDE12345","teamId":"FGHIJ67890"}}
            """
          )
        ]),
      answers: [
        Answer(
          200, "What may be shown of it.", "CredentialSet",
          example:
            #"{"appId":"com.example.bank","pnsId":"APNS","keyId":"ABCDE12345","teamId":"FGHIJ67890","check":null}"#)
      ], problems: [.unknownApp, .impossible], handler: .whole(AdminCall.setCredential)),
    Endpoint(
      .delete, "/v1/admin/credentials", id: "deleteCredential", in: .administration, "Take a credential away",
      "Nothing is sent through this network for the app any more.", by: .permission(.manageApps),
      parameters: [
        .ofApp(),
        .query("pnsId", JSONSchema.words(PushNetwork.allCases.map(\.pnsID)), "Of which push network.", isNeeded: true),
      ], answers: [Answer(204, "It is gone.")], problems: [.invalidField, .unknownApp, .notFound],
      handler: .whole(AdminCall.deleteCredential)),
  ]

  private static let examplePEM = """
    -----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsdGV7UGE7pS6OkZ/\\n\
    A014b1WwfxWNch9hSaGkuYmx0SWhRANCAATH+bxn2gzwxt2V5s43AnAP+9aFKuOR\\n6EM4ofo/CDTk8v9O/+gNy5lODZfdQYD6jtPlUknzHr9yXbIoGAm77iYU\\n\
    -----END PRIVATE KEY-----
    """
}
