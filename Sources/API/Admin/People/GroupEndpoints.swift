internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for groups of users: the tree of groups, and the members of each.
extension Endpoint {
  static let groups: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/groups", id: "createGroup", in: .people, "Make a group",
      "Groups form a tree: a message to a group goes to those below it too. Names differ below one parent.",
      by: .permission(.manageGroups),
      body: Body(
        Administration.NewGroup.object,
        examples: [("top", #"{"appId":"com.example.bank","name":"News"}"#)]),
      answers: [Answer(201, "The group is made.", Administration.GroupCreated.object, example: #"{"groupSeq":"12"}"#)],
      problems: [.unknownApp, .unknownGroup, .conflict], handler: .whole(AdminCall.createGroup))
  ]

  static let groupTree: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/groups", id: "listGroupTree", in: .people, "List groups",
      """
      The groups directly below one, or at the top, by name; with `name`, the groups of all levels whose names contain \
      it, by number. A page of these may have fewer groups than asked for, or none, and still be followed by another.
      """,
      by: .permission(.viewPeople),
      parameters: [
        .ofApp(),
        .query("parent", JSONSchema.sequence, "The group above; absent: at the top."),
        .query("name", JSONSchema.givenText, "A part of the name, ignoring case. Not together with `parent`."),
        .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page of groups.", ItemPage<GroupService.Entry>.object, example: Answer.page(groupExample))
      ],
      problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.groups)),
    Endpoint(
      .get, "/v1/admin/groups/{groupSeq}", id: "showGroup", in: .people, "Show a group", "And where it stands.",
      by: .permission(.viewPeople),
      answers: [Answer(200, "The group.", GroupService.Entry.object, example: groupExample)],
      problems: [.unknownGroup], handler: .whole(AdminCall.group)),
    Endpoint(
      .patch, "/v1/admin/groups/{groupSeq}", id: "changeGroup", in: .people, "Rename or move a group",
      """
      It moves with all that is below it. It does not leave a group that a message names in its audience, as long as \
      the message keeps that group from being deleted.
      """, by: .permission(.manageGroups),
      body: Body(GroupService.Change.object, examples: [("to the top", #"{"parent":null}"#)]),
      answers: [Answer(200, "As it is now.", GroupService.Entry.object, example: groupExample)],
      problems: [.unknownGroup, .conflict], handler: .whole(AdminCall.changeGroup)),
    Endpoint(
      .delete, "/v1/admin/groups/{groupSeq}", id: "deleteGroup", in: .people, "Delete a group",
      """
      Its members stay users. A group that has groups below it is not deleted. Nor is one that a message names in its \
      audience, directly or in a segment's conditions, while the message is scheduled, repeats, is being sent or \
      awaits approval; or one with members below such a group. The refusal names those messages.
      """, by: .permission(.manageGroups),
      answers: [Answer(204, "It is gone.")], problems: [.unknownGroup, .conflict],
      handler: .whole(AdminCall.deleteGroup)),
    Endpoint(
      .get, "/v1/admin/groups/{groupSeq}/members", id: "listMembers", in: .people, "List a group's members",
      "Its own, not those of groups below it.", by: .permission(.viewPeople), parameters: [.limit, .cursor],
      answers: [
        Answer(
          200, "A page of members.", ItemPage<GroupService.MemberEntry>.object,
          example: Answer.page(
            #"{"clientUid":"kim01","device":null,"clientName":"Kim","joinedAt":"2026-11-21T09:30:00.123Z"}"#))
      ], problems: [.invalidField, .unknownGroup], handler: .whole(AdminCall.groupMembers)),
    Endpoint(
      .post, "/v1/admin/groups/{groupSeq}/members", id: "addMembers", in: .people, "Put users into a group",
      "Who is in it already stays in it.", by: .permission(.manageGroups), load: .heavy, body: membersBody,
      answers: [membersChanged],
      problems: [.unknownGroup], handler: .whole(AdminCall.addMembers)),
    Endpoint(
      .post, "/v1/admin/groups/{groupSeq}/members/remove", id: "removeMembers", in: .people,
      "Take users out of a group", "Who is not in it stays out.", by: .permission(.manageGroups), load: .heavy,
      body: membersBody,
      answers: [membersChanged], problems: [.unknownGroup], handler: .whole(AdminCall.removeMembers)),
  ]

  private static let membersBody = Body(
    GroupService.Members.object, examples: [("two users", #"{"clientUids":["kim01","lee02"]}"#)])

  private static let membersChanged = Answer(
    200, "How many users the app knows, and who is not known.", GroupService.MembersChanged.object,
    example: #"{"members":1,"unknown":["lee02"]}"#)

  private static let groupExample = """
    {"groupSeq":"12","appId":"com.example.bank","name":"News","parent":null,"createdAt":"2026-11-21T09:30:00.123Z",\
    "hasGroups":false,"joinable":false,"members":120,"above":[]}
    """

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let groupSchemas: [JSONTree.Member] = [
    Administration.NewGroup.object.named, Administration.GroupCreated.object.named,
    ItemPage<GroupService.Entry>.object.named, GroupService.Entry.object.named, GroupService.Change.object.named,
    ItemPage<GroupService.MemberEntry>.object.named, GroupService.Members.object.named,
    GroupService.MembersChanged.object.named,
  ]
}

extension AdminCall {
  fileprivate func groups() throws(Problem) -> Response {
    var parent: Int64?
    if let text = query["parent"] {
      guard let number = Int64(text) else { throw Problem(.invalidField, "parent must be a GROUPSEQ.") }
      parent = number
    }
    if let name = query["name"], !name.isEmpty {
      guard parent == nil else { throw Problem(.invalidField, "name cannot stand beside parent.") }
      return .json(
        .ok, try GroupService.list(of: try required("appId"), named: name, try page(), by: caller, on: connection))
    }
    return .json(
      .ok, try GroupService.list(of: try required("appId"), below: parent, try page(), by: caller, on: connection))
  }

  fileprivate func group() throws(Problem) -> Response {
    .json(.ok, try GroupService.group(try groupSeq(), by: caller, on: connection))
  }

  fileprivate func changeGroup() throws(Problem) -> Response {
    let change = try self.body(GroupService.Change.object)
    return .json(.ok, try GroupService.change(try groupSeq(), change, by: caller, on: connection))
  }

  fileprivate func deleteGroup() throws(Problem) -> Response {
    try GroupService.delete(try groupSeq(), by: caller, on: connection)
    return .done
  }

  fileprivate func groupMembers() throws(Problem) -> Response {
    .json(.ok, try GroupService.members(of: try groupSeq(), try page(), by: caller, on: connection))
  }

  fileprivate func addMembers() throws(Problem) -> Response { try changeMembers(adding: true) }

  fileprivate func removeMembers() throws(Problem) -> Response { try changeMembers(adding: false) }

  private func changeMembers(adding: Bool) throws(Problem) -> Response {
    let members = try body(GroupService.Members.object)
    return .json(
      .ok,
      try GroupService.changeMembers(
        of: try groupSeq(), adding: adding, members.clientUIDs, by: caller, on: connection,
        now: now))
  }

  fileprivate func createGroup() throws(Problem) -> Response {
    .json(
      .created,
      try Administration.createGroup(
        try body(Administration.NewGroup.object), by: caller, on: connection, catalog: resources.catalog))
  }
}
