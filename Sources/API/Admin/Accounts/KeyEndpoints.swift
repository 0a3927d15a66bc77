internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for API keys.
extension Endpoint {
  static let apiKeys: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/api-keys", id: "listAPIKeys", in: .administration, "List API keys",
      "Revoked and ended ones too; never the keys themselves. `appId`: those that reach the app, which are also those for all apps.",
      by: .permission(.manageAccounts),
      parameters: [.ofApp(isNeeded: false), .limit, .cursor],
      answers: [
        Answer(200, "A page of keys.", ItemPage<Administration.KeyEntry>.object, example: Answer.page(keyExample))
      ],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.keys)),
    Endpoint(
      .post, "/v1/admin/api-keys", id: "createAPIKey", in: .administration, "Make an API key",
      """
      The key is in this answer and nowhere else: only a hash of it is kept. An app has at most \
      \(Operations.Limits.keysOfApp) keys that are not revoked.
      """, by: .permission(.manageAccounts), needsFreshSignIn: true,
      body: Body(
        Administration.NewKey.object,
        examples: [
          ("sender", #"{"role":"sender","appId":"com.example.bank","name":"CRM"}"#),
          (
            "untilAYearFromNow",
            #"{"role":"sender","appId":"com.example.bank","name":"CRM","expiresAt":"2027-11-21T00:00:00Z"}"#
          ),
        ]),
      answers: [
        Answer(
          201, "The key is made.", Administration.KeyCreated.object,
          example: #"{"apiKeyId":"3","apiKey":"upmc_q9x2","role":"sender","expiresAt":null}"#)
      ], problems: [.unknownApp], handler: .whole(AdminCall.createKey)),
    Endpoint(
      .delete, "/v1/admin/api-keys/{apiKeyId}", id: "revokeAPIKey", in: .administration, "Revoke an API key",
      "It opens nothing any more, a second later on every node. Repeating it changes nothing.",
      by: .permission(.manageAccounts),
      answers: [Answer(200, "What it was.", Administration.KeyEntry.object, example: keyExample)],
      problems: [.notFound], handler: .whole(AdminCall.revokeKey)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let keySchemas: [JSONTree.Member] = [
    ItemPage<Administration.KeyEntry>.object.named, Administration.KeyEntry.object.named,
    Administration.NewKey.object.named, Administration.KeyCreated.object.named,
  ]

  private static let keyExample = """
    {"apiKeyId":"3","name":"CRM","role":"sender","appId":"com.example.bank","createdAt":"2026-11-21T09:30:00.123Z",\
    "revokedAt":null,"expiresAt":"2027-11-21T00:00:00.000Z","lastUsedAt":"2026-11-21T10:12:00.000Z"}
    """

}

extension AdminCall {
  fileprivate func keys() throws(Problem) -> Response {
    .json(.ok, try Administration.keys(of: query["appId"], try page(), by: caller, on: connection))
  }

  fileprivate func createKey() throws(Problem) -> Response {
    let new = try body(Administration.NewKey.object)
    return .json(
      .created,
      try Administration.createKey(
        new.role, appID: new.appID, name: new.name, endsAt: new.endsAt, by: caller, on: connection))
  }

  fileprivate func revokeKey() throws(Problem) -> Response {
    guard let number = Int32(parameters["apiKeyId"]) else {
      throw Problem(.notFound, "An API key's id is a whole number, as lists show it.")
    }
    return .json(.ok, try Administration.revokeKey(number, by: caller, on: connection))
  }
}
