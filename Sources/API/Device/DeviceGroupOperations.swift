internal import Domain
internal import HTTPServer

/// Groups, as a device sees them.
extension Endpoint {
  static let deviceGroups: [Endpoint] = [
    Endpoint(
      .get, "/v1/devices/{device}/groups", id: "listGroups", in: .devices, "List the groups of the device's user",
      "Memberships are the user's and hold for all its devices; a guest's are the device's own.", by: .authKey,
      parameters: [
        .limit,
        .numberCursor,
      ],
      answers: [
        Answer(
          200, "A page of groups, in the order of their numbers.", "GroupPage",
          example: #"{"items":[{"groupSeq":"12","name":"News"}],"nextCursor":null}"#)
      ], problems: [.invalidField], handler: .device(DeviceDoor.listGroups)),
    Endpoint(
      .put, "/v1/devices/{device}/groups/{groupSeq}", id: "joinGroup", in: .devices, "Join a group",
      "Joining again changes nothing.", by: .authKey, answers: [Answer(204, "The user is a member.")],
      problems: [.unknownGroup], handler: .device(DeviceDoor.join)),
    Endpoint(
      .delete, "/v1/devices/{device}/groups/{groupSeq}", id: "leaveGroup", in: .devices, "Leave a group",
      "Leaving again changes nothing.", by: .authKey, answers: [Answer(204, "The user is no member.")],
      problems: [.unknownGroup], handler: .device(DeviceDoor.leave)),
  ]
}
