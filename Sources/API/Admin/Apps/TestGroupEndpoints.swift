internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for an app's test groups.
extension Endpoint {
  static let testGroups: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/apps/{appId}/test-groups", id: "showTestGroups", in: .messages,
      "Ask who gets messages for a trial",
      "The users of a group are named in a send with `test`, whose deliveries count in no statistics.",
      by: .permission(.send),
      answers: [Answer(200, "The groups.", TestGroups.Entry.object, example: example)], problems: [.unknownApp],
      handler: .whole(AdminCall.testGroups)),
    Endpoint(
      .put, "/v1/admin/apps/{appId}/test-groups", id: "changeTestGroups", in: .messages,
      "Say who gets messages for a trial", "Replaces all groups of the app. Erasing a person erases them here too.",
      by: .permission(.manageContent),
      body: Body(
        TestGroups.Change.object,
        examples: [
          ("one group", #"{"groups":[{"name":"Marketing","clientUids":["kim01","lee02"]}]}"#),
          ("none", #"{"groups":[]}"#),
        ]),
      answers: [Answer(200, "The groups now.", TestGroups.Entry.object, example: example)],
      problems: [.impossible, .unknownApp],
      handler: .whole(AdminCall.changeTestGroups)),
  ]

  private static let example = #"{"groups":[{"name":"Marketing","clientUids":["kim01","lee02"]}]}"#

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let testGroupSchemas: [JSONTree.Member] = [TestGroups.Entry.object.named, TestGroups.Change.object.named]
}

extension AdminCall {
  fileprivate func testGroups() throws(Problem) -> Response {
    .json(.ok, try TestGroups.show(parameters["appId"], by: caller, on: connection))
  }

  fileprivate func changeTestGroups() throws(Problem) -> Response {
    let change = try body(TestGroups.Change.object)
    return .json(.ok, try TestGroups.change(change, of: parameters["appId"], by: caller, on: connection))
  }
}
