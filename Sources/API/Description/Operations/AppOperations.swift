internal import Domain
internal import HTTPServer
internal import Operations

/// Apps, what opens push networks for them, API keys, and who did what.
extension APIOperation {
  static let appSettings: [APIOperation] = [
    APIOperation(
      .get, "/v1/admin/apps", id: "listApps", in: .administration, "List apps",
      "Those that the credential reaches, by id.",
      by: able(to: .viewMessages), parameters: [limit, pageCursor],
      answers: [Answer(200, "A page of apps.", "AppPage", example: page(app))], problems: [.invalidField]),
    APIOperation(
      .post, "/v1/admin/apps", id: "createApp", in: .administration, "Make an app",
      "The client key goes into the app; it only identifies it.", by: able(to: .manageApps),
      body: Body(
        schema: "NewApp",
        examples: [("app", #"{"appId":"com.example.shop","name":"Example Shop","timeZone":"Asia/Seoul"}"#)]),
      answers: [
        Answer(
          201, "The app is made.", "AppCreated",
          example: #"{"appId":"com.example.shop","clientKey":"f1c8c6b5e2","identity":"proof"}"#)
      ], problems: [.conflict]),
    APIOperation(
      .get, "/v1/admin/apps/{appId}", id: "showApp", in: .administration, "Show an app and its settings",
      "Also why it is paused, if it is.", by: able(to: .viewMessages),
      answers: [Answer(200, "The app.", "App", example: app)], problems: [.unknownApp]
    ),
    APIOperation(
      .get, "/v1/admin/apps/{appId}/identity", id: "showAppIdentity", in: .administration,
      "Show how an app's identity stands",
      "What a stricter one would refuse, and how many devices it would make guests.", by: able(to: .viewMessages),
      answers: [
        Answer(
          200, "As it stands.", "IdentityStanding",
          example: """
            {"appId":"com.example.bank","identity":"open","observedIdentity":"proof","graceEndsAt":null,\
            "unprovedBindings":{"proof":120,"strict":4120},"unprovedRegistrations":13,"callsByAskedKeys":2,"guestsByNewToken":0}
            """)
      ], problems: [.unknownApp]),
    APIOperation(
      .patch, "/v1/admin/apps/{appId}", id: "changeApp", in: .administration, "Change settings of an app",
      """
      What is not named stays as it is. A stricter identity is observed first where devices have a user by less; then it \
      takes their number (`unprovedBindings`), and they become guests 30 days later.
      """, by: able(to: .manageApps),
      body: Body(
        schema: "AppChange",
        examples: [
          ("name", #"{"name":"Example Bank","timeZone":"Asia/Seoul"}"#),
          ("policies", #"{"devicePolicy":"single","badgeSync":true,"deviceSends":10}"#),
          ("observed", #"{"observedIdentity":"strict","tellsDevices":true}"#),
        ]),
      answers: [Answer(200, "As it is now.", "App", example: app)],
      problems: [.unknownApp, .conflict]),
    APIOperation(
      .get, "/v1/admin/credentials", id: "listCredentials", in: .administration, "List credentials",
      "What may be shown of them: never the secret.", by: able(to: .manageApps),
      parameters: [ofApp(isNeeded: false), limit, pageCursor],
      answers: [
        Answer(
          200, "A page of credentials.", "CredentialPage",
          example: page(
            """
            {"appId":"com.example.bank","pnsId":"APNS","kind":"apns-key","updatedAt":"2026-11-21T09:30:00.123Z",\
            "shown":{"keyId":"ABCDE12345","teamId":"FGHIJ67890"},\
            "check":{"at":"2026-11-21T09:30:00.123Z","result":"works","word":"BadDeviceToken"}}
            """))
      ], problems: [.invalidField, .unknownApp]),
    APIOperation(
      .put, "/v1/admin/credentials", id: "setCredential", in: .administration, "Give an app a credential",
      """
      In place of an earlier one. It is sealed, and never given out again. An app that was paused goes on. A new APNs key is \
      tried once, by a push to a token of nobody: `check` says what Apple answered within three seconds; null: nothing yet. A \
      service account's file must name Google's address for access tokens as its `token_uri`, or the operator's.
      """, by: able(to: .manageApps),
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
      ], problems: [.unknownApp, .impossible]),
    APIOperation(
      .delete, "/v1/admin/credentials", id: "deleteCredential", in: .administration, "Take a credential away",
      "Nothing is sent through this network for the app any more.", by: able(to: .manageApps),
      parameters: [
        ofApp(),
        Parameter(
          place: .query, name: "pnsId", schema: Schema.words(PushNetwork.allCases.map(\.pnsID)),
          about: "Of which push network.", isNeeded: true),
      ], answers: [Answer(204, "It is gone.")], problems: [.invalidField, .unknownApp, .notFound]),
  ]

  static let apiKeys: [APIOperation] = [
    APIOperation(
      .get, "/v1/admin/api-keys", id: "listAPIKeys", in: .administration, "List API keys",
      "Revoked ones too; never the keys themselves.", by: able(to: .manageAccounts),
      parameters: [ofApp(isNeeded: false), limit, pageCursor],
      answers: [Answer(200, "A page of keys.", "APIKeyPage", example: page(keyExample))],
      problems: [.invalidField, .unknownApp]),
    APIOperation(
      .post, "/v1/admin/api-keys", id: "createAPIKey", in: .administration, "Make an API key",
      "The key is in this answer and nowhere else: only a hash of it is kept.", by: able(to: .manageAccounts),
      body: Body(
        schema: "NewAPIKey", examples: [("sender", #"{"role":"sender","appId":"com.example.bank","name":"CRM"}"#)]),
      answers: [
        Answer(201, "The key is made.", "APIKeyCreated", example: #"{"apiKey":"upmc_q9x2","role":"sender"}"#)
      ], problems: [.unknownApp]),
    APIOperation(
      .delete, "/v1/admin/api-keys/{apiKeyId}", id: "revokeAPIKey", in: .administration, "Revoke an API key",
      "It opens nothing any more, a second later on every node. Repeating it changes nothing.",
      by: able(to: .manageAccounts), answers: [Answer(200, "What it was.", "APIKey", example: keyExample)],
      problems: [.notFound]),
    APIOperation(
      .get, "/v1/admin/audit", id: "listAudit", in: .administration, "See who did what",
      """
      Newest first. Nobody can change an entry. Sends to named users by an API key are not in it: their message says who \
      sent what.
      """, by: able(to: .viewAudit),
      parameters: [
        ofApp(isNeeded: false),
        Parameter(
          place: .query, name: "action", schema: Schema.givenText,
          about: "`app.change`, or `app` for all that happened to apps."),
        Parameter(place: .query, name: "actor", schema: Schema.givenText, about: "The name of a key or account."),
        Parameter(
          place: .query, name: "object", schema: Schema.givenText, about: "What was changed, as its lists name it."),
        limit, pageCursor,
      ],
      answers: [
        Answer(
          200, "A page of entries. It may hold fewer than asked for, also none, and still have a next.", "AuditPage",
          example: page(
            """
            {"entry":"17","at":"2026-11-21T09:30:00.123Z","actor":"CRM","by":"api-key","apiKey":"3","account":null,\
            "role":"admin","origin":"192.0.2.7","requestId":"8f3a0c5d2b7e4196","action":"app.change",\
            "appId":"com.example.bank","object":"com.example.bank","before":{"name":"Bank"},"after":{"name":"Our Bank"}}
            """))
      ], problems: [.invalidField, .unknownApp]),
  ]

  private static let keyExample = """
    {"apiKeyId":"3","name":"CRM","role":"sender","appId":"com.example.bank","createdAt":"2026-11-21T09:30:00.123Z",\
    "revokedAt":null}
    """

  /// Made for this document; it opens nothing.
  private static let examplePEM = """
    -----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsdGV7UGE7pS6OkZ/\\n\
    A014b1WwfxWNch9hSaGkuYmx0SWhRANCAATH+bxn2gzwxt2V5s43AnAP+9aFKuOR\\n6EM4ofo/CDTk8v9O/+gNy5lODZfdQYD6jtPlUknzHr9yXbIoGAm77iYU\\n\
    -----END PRIVATE KEY-----
    """

  // MARK: For all lists

  /// An API key with one of the roles that may.
  static func able(to permission: Permission) -> Proof {
    .apiKey(roles: Role.allCases.filter { $0.allows(permission) }.map(\.rawValue))
  }

  static func page(_ item: String) -> String { #"{"items":[\#(item)],"nextCursor":null}"# }

  static func ofApp(isNeeded: Bool = true) -> Parameter {
    Parameter(
      place: .query, name: "appId", schema: Schema.appID, about: isNeeded ? "Of which app." : "Only of this app.",
      isNeeded: isNeeded)
  }

  static let pageCursor = Parameter(
    place: .query, name: "cursor", schema: Schema.opaque,
    about: "`nextCursor` of the page before; absent for the first.")
}
