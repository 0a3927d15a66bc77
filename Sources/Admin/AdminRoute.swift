internal import Domain
internal import HTTPServer
internal import Operations

/// One line of the admin API: what is asked, who may ask, who answers.
///
/// The table below is the API. A test walks it with a key of every role.
struct AdminRoute: Sendable {
  let method: Method
  let pattern: String
  let permission: Permission
  let endpoint: @Sendable (AdminCall) throws(Problem) -> Response

  static let all: [AdminRoute] = [
    AdminRoute(.post, "/v1/admin/messages", .send) { call throws(Problem) in try call.send() },
    AdminRoute(.get, "/v1/admin/messages/{seqno}", .viewMessages) { call throws(Problem) in try call.funnel() },
    AdminRoute(.get, "/v1/admin/messages/{seqno}/deliveries", .viewMessages) { call throws(Problem) in
      try call.deliveries()
    },
    AdminRoute(.post, "/v1/admin/messages/{seqno}/pause", .control) { call throws(Problem) in
      try call.control(.pause)
    },
    AdminRoute(.post, "/v1/admin/messages/{seqno}/resume", .control) { call throws(Problem) in
      try call.control(.resume)
    },
    AdminRoute(.post, "/v1/admin/messages/{seqno}/cancel", .control) { call throws(Problem) in
      try call.control(.cancel)
    },
    AdminRoute(.post, "/v1/admin/messages/{seqno}/resend", .send) { call throws(Problem) in try call.resend() },
    AdminRoute(.patch, "/v1/admin/messages/{seqno}", .control) { call throws(Problem) in try call.setPace() },
    AdminRoute(.post, "/v1/admin/uploads", .send) { call throws(Problem) in try call.upload() },
    AdminRoute(.get, "/v1/admin/quarantine", .manageQuarantine) { call throws(Problem) in try call.quarantine() },
    AdminRoute(.post, "/v1/admin/quarantine/restore", .manageQuarantine) { call throws(Problem) in
      try call.restoreQuarantine()
    },
    AdminRoute(.post, "/v1/admin/apps/{appId}/resume", .manageApps) { call throws(Problem) in try call.resumeApp() },
    AdminRoute(.post, "/v1/admin/tags", .manageAudiences) { call throws(Problem) in try call.changeTags() },
    AdminRoute(.get, "/v1/admin/tags", .manageAudiences) { call throws(Problem) in try call.tags() },
    AdminRoute(.post, "/v1/admin/segments", .manageAudiences) { call throws(Problem) in try call.createSegment() },
    AdminRoute(.get, "/v1/admin/segments", .viewMessages) { call throws(Problem) in try call.segments() },
    AdminRoute(.post, "/v1/admin/segment-counts", .viewMessages) { call throws(Problem) in
      try call.countConditions()
    },
    AdminRoute(.get, "/v1/admin/segments/{segment}", .viewMessages) { call throws(Problem) in try call.segment() },
    AdminRoute(.put, "/v1/admin/segments/{segment}", .manageAudiences) { call throws(Problem) in
      try call.changeSegment()
    },
    AdminRoute(.delete, "/v1/admin/segments/{segment}", .manageAudiences) { call throws(Problem) in
      try call.deleteSegment()
    },
    AdminRoute(.get, "/v1/admin/segments/{segment}/count", .viewMessages) { call throws(Problem) in
      try call.countSegment()
    },
    AdminRoute(.post, "/v1/admin/audiences/csv", .send) { call throws(Problem) in try call.uploadAudience() },
    AdminRoute(.patch, "/v1/admin/apps/{appId}", .manageApps) { call throws(Problem) in try call.changeApp() },
    AdminRoute(.post, "/v1/admin/groups", .manageGroups) { call throws(Problem) in try call.createGroup() },
  ] + adRules + webhooks

  init(
    _ method: Method, _ pattern: String, _ permission: Permission,
    endpoint: @escaping @Sendable (AdminCall) throws(Problem) -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.permission = permission
    self.endpoint = endpoint
  }

  static func router() -> Router<AdminRoute> {
    var router = Router<AdminRoute>()
    for route in all { router.add(route.method, route.pattern, route) }
    return router
  }
}
