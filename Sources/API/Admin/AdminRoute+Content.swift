internal import Domain
internal import HTTPServer
internal import Operations
internal import Store

/// What is kept for sending: templates, drafts, senders; sends that wait for a second person; files of
/// people.
extension AdminRoute {
  static let imports: [AdminRoute] = [
    AdminRoute(.get, "/v1/admin/imports", .importPeople, query: ["appId"] + page) { call throws(Problem) in
      try call.imports()
    },
    AdminRoute(.post, "/v1/admin/imports", .importPeople) { call throws(Problem) in try call.beginImport() },
    AdminRoute(.get, "/v1/admin/imports/{importId}", .importPeople) { call throws(Problem) in
      try call.showImport()
    },
    AdminRoute(.get, "/v1/admin/imports/{importId}/errors", .importPeople, query: page) { call throws(Problem) in
      try call.importErrors()
    },
    AdminRoute(.put, "/v1/admin/imports/{importId}/parts/{part}", .importPeople, query: ["last"]) {
      call throws(Problem) in
      try call.takeImportPart()
    },
  ]

  static let approvals: [AdminRoute] = [
    AdminRoute(.get, "/v1/admin/approvals", .viewMessages, query: ["appId", "state"] + page) { call throws(Problem) in
      try call.approvals()
    },
    AdminRoute(.get, "/v1/admin/approvals/{approvalId}", .viewMessages) { call throws(Problem) in
      try call.approval()
    },
    AdminRoute(.post, "/v1/admin/approvals/{approvalId}/approve", .approve) { call throws(Problem) in
      try call.approve()
    },
    AdminRoute(.post, "/v1/admin/approvals/{approvalId}/reject", .approve) { call throws(Problem) in
      try call.reject()
    },
  ]

  static let content = SavedMessages.Kind.allCases.flatMap(saved)

  private static func saved(_ kind: SavedMessages.Kind) -> [AdminRoute] {
    let list = "/v1/admin/\(kind.word)s"
    let one = "\(list)/{\(kind.idName)}"
    return [
      AdminRoute(.get, list, .viewContent, query: ["appId"] + page) { call throws(Problem) in try call.saved(kind) },
      AdminRoute(.post, list, .manageContent) { call throws(Problem) in try call.createSaved(kind) },
      AdminRoute(.get, one, .viewContent) { call throws(Problem) in try call.showSaved(kind) },
      AdminRoute(.put, one, .manageContent) { call throws(Problem) in try call.replaceSaved(kind) },
      AdminRoute(.delete, one, .manageContent) { call throws(Problem) in try call.deleteSaved(kind) },
    ]
  }
}
