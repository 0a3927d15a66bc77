internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for groups, as a device sees them.
extension Endpoint {
  static let deviceGroups: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/groups", id: "listGroups", in: .devices, "List the groups of the device's user",
      "Memberships are the user's and hold for all its devices; a guest's are the device's own.", by: .authKey,
      parameters: [
        .limit,
        .cursor,
      ],
      answers: [
        Answer(
          200, "A page of groups, in the order of their numbers.", GroupPage.Answer.object,
          example: #"{"items":[{"groupSeq":"12","name":"News"}],"nextCursor":null}"#)
      ], problems: [.invalidField], handler: .device(DeviceHandler.listGroups)),
    Endpoint(
      .put, "/v1/devices/{device}/groups/{groupSeq}", id: "joinGroup", in: .devices, "Join a group",
      "Joining again changes nothing.", by: .authKey, answers: [Answer(204, "The user is a member.")],
      problems: [.unknownGroup], handler: .device(DeviceHandler.join)),
    Endpoint(
      .delete, "/v1/devices/{device}/groups/{groupSeq}", id: "leaveGroup", in: .devices, "Leave a group",
      "Leaving again changes nothing.", by: .authKey, answers: [Answer(204, "The user is no member.")],
      problems: [.unknownGroup], handler: .device(DeviceHandler.leave)),
  ]

  /// The named schema that these endpoints add to the OpenAPI document (`Schemas`).
  static let deviceGroupSchemas: [JSONTree.Member] = [GroupPage.Answer.object.named]
}

extension DeviceHandler {
  func listGroups(
    _ request: Request, _ parameters: PathParameters, _ query: QueryParameters, _ responder: Responder
  ) throws(Problem) {
    let claim = try claim(request, parameters)
    let page = try GroupPage(limit: query["limit"], cursor: query["cursor"])
    perform(.listGroups(claim), request, responder) { answer, responder in
      guard case .groups(let groups) = answer else { return }
      responder.send(GroupPage.Answer.object, page.part(of: groups))
    }
  }

  func join(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.join(try claim(request, parameters), group: try Self.group(parameters))
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  func leave(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.leave(try claim(request, parameters), group: try Self.group(parameters))
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  private static func group(_ parameters: PathParameters) throws(Problem) -> Int64 {
    guard let group = SequenceNumber.parse(parameters["groupSeq"]) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number.")
    }
    return group
  }
}
