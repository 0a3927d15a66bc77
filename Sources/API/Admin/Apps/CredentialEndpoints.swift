internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for push network credentials of apps. A stored credential cannot be read back, only its public parts.
extension Endpoint {
  static let credentials: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/credentials", id: "listCredentials", in: .administration, "List credentials",
      "What may be shown of them: never the secret.", by: .permission(.manageApps),
      parameters: [.ofApp(isNeeded: false), .limit, .cursor],
      answers: [
        Answer(
          200, "A page of credentials.", ItemPage<Administration.CredentialEntry>.object,
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
      tried once, by a push to a token of nobody: `check` says what Apple answered within three seconds; null: nothing yet. \
      With `check` true it is tried before, and replaces nothing if Apple does not take it. A \
      service account's file must name Google's address for access tokens as its `token_uri`, or the operator's.
      """, by: .permission(.manageApps), needsFreshSignIn: true, load: .heavy,
      body: Body(
        Administration.NewCredential.object,
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
          200, "What may be shown of it.", Administration.credentialSet.name,
          example:
            #"{"appId":"com.example.bank","pnsId":"APNS","keyId":"ABCDE12345","teamId":"FGHIJ67890","check":null}"#)
      ], problems: [.unknownApp, .impossible, .notConfigured, .networkAway],
      handler: .whole(AdminCall.setCredential)),
    Endpoint(
      .delete, "/v1/admin/credentials", id: "deleteCredential", in: .administration, "Take a credential away",
      "Nothing is sent through this network for the app any more.", by: .permission(.manageApps),
      needsFreshSignIn: true,
      parameters: [
        .ofApp(),
        .query("pnsId", JSONSchema.words(PushNetwork.allCases.map(\.pnsID)), "Of which push network.", isNeeded: true),
      ], answers: [Answer(204, "It is gone.")], problems: [.invalidField, .unknownApp, .notFound],
      handler: .whole(AdminCall.deleteCredential)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let credentialSchemas: [JSONTree.Member] =
    [
      ItemPage<Administration.CredentialEntry>.object.named,
      Administration.NewCredential.object.named, Administration.credentialSet,
    ] + Administration.credentialParts

  private static let examplePEM = """
    -----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsdGV7UGE7pS6OkZ/\\n\
    A014b1WwfxWNch9hSaGkuYmx0SWhRANCAATH+bxn2gzwxt2V5s43AnAP+9aFKuOR\\n6EM4ofo/CDTk8v9O/+gNy5lODZfdQYD6jtPlUknzHr9yXbIoGAm77iYU\\n\
    -----END PRIVATE KEY-----
    """
}

extension AdminCall {
  fileprivate func credentials() throws(Problem) -> Response {
    .json(.ok, try Administration.credentials(of: query["appId"], try page(), by: caller, on: connection))
  }

  fileprivate func setCredential() throws(Problem) -> Response {
    let new = try body(Administration.NewCredential.object)
    guard let master = resources.master else {
      throw Problem(.internalError, "This server has no master key to seal credentials with.")
    }
    switch (new.key, new.certificate, new.account) {
    case (let key?, nil, nil):
      return .json(
        .ok,
        try Administration.setCredential(
          key, of: new.appID, master: master, by: caller, on: connection, isChecked: new.isChecked,
          trial: resources.keyTrial))
    case (nil, let certificate?, nil):
      return .json(
        .ok,
        try Administration.setCredential(
          certificate, of: new.appID, master: master, by: caller, on: connection, clock: resources.clock))
    case (nil, nil, let account?):
      return .json(
        .ok,
        try Administration.setCredential(
          account, of: new.appID, master: master, tokens: resources.tokens, by: caller, on: connection))
    default: throw Problem(.impossible, "Give one of apnsKey, apnsCertificate and fcmServiceAccount.")
    }
  }

  fileprivate func deleteCredential() throws(Problem) -> Response {
    let appID = try required("appId")
    guard let network = PushNetwork(pnsID: try required("pnsId")) else {
      throw Problem(
        .invalidField, "pnsId must be one of \(PushNetwork.allCases.map(\.pnsID).joined(separator: ", ")).")
    }
    try Administration.deleteCredential(of: appID, network, by: caller, on: connection)
    return .done
  }
}
