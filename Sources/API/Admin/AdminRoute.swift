internal import Domain
internal import HTTPServer
internal import Operations

/// One line of the admin API: what is asked, who may ask, who answers.
///
/// The table below is the API. A test walks it with a key of every role.
struct AdminRoute: Sendable {
  let method: Method
  let pattern: String
  /// Nil: nobody has to prove anything first.
  let permission: Permission?
  /// Names of what may stand behind the `?`; anything else there is refused.
  let query: [String]
  let endpoint: Endpoint
  let load: AdminWork.Load

  enum Endpoint: Sendable {
    /// Answered by the thread that took the request.
    case whole(@Sendable (AdminCall) throws(Problem) -> Response)
    /// Checked by that thread, then written in pieces by `AdminStreams`.
    case pieces(StreamSource.Kind, @Sendable (AdminCall) throws(Problem) -> StreamSource)
  }

  static let all =
    sending + audiences + people + administration + accounts + adRules + webhooks + content + approvals + imports
    + streams

  private static let sending: [AdminRoute] = [
    AdminRoute(.get, "/v1/admin/messages", .viewMessages, query: ["appId", "state", "lane", "from", "to"] + page) {
      call throws(Problem) in try call.messages()
    },
    AdminRoute(.get, "/v1/admin/messages/{seqno}/failures", .viewMessages, query: ["reason"] + page) {
      call throws(Problem) in
      try call.failures()
    },
    AdminRoute(.post, "/v1/admin/messages", .send) { call throws(Problem) in try call.send() },
    AdminRoute(.get, "/v1/admin/messages/{seqno}", .viewMessages) { call throws(Problem) in try call.funnel() },
    AdminRoute(.get, "/v1/admin/messages/{seqno}/shards", .viewMessages, query: page) { call throws(Problem) in
      try call.shards()
    },
    AdminRoute(.get, "/v1/admin/messages/{seqno}/deliveries", .viewMessages, query: ["status"] + page) {
      call throws(Problem) in
      try call.deliveries()
    },
    AdminRoute(.get, "/v1/admin/messages/{seqno}/users/{clientUid}/explain", .viewPeople) { call throws(Problem) in
      try call.explain()
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
    AdminRoute(.post, "/v1/admin/uploads", .send, query: ["appId", "expiresIn"]) { call throws(Problem) in
      try call.upload()
    },
    AdminRoute(.post, "/v1/admin/audiences/csv", .send, query: ["appId", "skipErrors"]) { call throws(Problem) in
      try call.uploadAudience()
    },
  ]

  private static let audiences: [AdminRoute] = [
    AdminRoute(.post, "/v1/admin/tags", .manageAudiences) { call throws(Problem) in try call.changeTags() },
    AdminRoute(.get, "/v1/admin/tags", .manageAudiences, query: ["appId", "clientUid", "device"]) {
      call throws(Problem) in try call.tags()
    },
    AdminRoute(.post, "/v1/admin/segments", .manageAudiences) { call throws(Problem) in try call.createSegment() },
    AdminRoute(.get, "/v1/admin/segments", .viewMessages, query: ["appId"] + page) { call throws(Problem) in
      try call.segments()
    },
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
  ]

  private static let people: [AdminRoute] = [
    AdminRoute(.get, "/v1/admin/users", .viewPeople, query: ["appId", "prefix"] + page) { call throws(Problem) in
      try call.users()
    },
    AdminRoute(.get, "/v1/admin/users/{clientUid}", .viewPeople, query: ["appId"]) { call throws(Problem) in
      try call.user()
    },
    AdminRoute(.get, "/v1/admin/users/{clientUid}/messages", .viewPeople, query: ["appId"] + page) {
      call throws(Problem) in
      try call.userMessages()
    },
    AdminRoute(.delete, "/v1/admin/users/{clientUid}", .erasePeople, query: ["appId"]) { call throws(Problem) in
      try call.eraseUser()
    },
    AdminRoute(.get, "/v1/admin/users/{clientUid}/export", .erasePeople, query: ["appId"]) { call throws(Problem) in
      try call.exportUser()
    },
    AdminRoute(.put, "/v1/admin/users/{clientUid}/badge", .managePeople) { call throws(Problem) in
      try call.setUserBadge()
    },
    AdminRoute(.post, "/v1/admin/users/{clientUid}/vouchers", .vouch) { call throws(Problem) in try call.vouch() },
    AdminRoute(.get, "/v1/admin/devices", .viewPeople, query: ["appId", "clientUid", "psid"] + page) {
      call throws(Problem) in try call.devices()
    },
    AdminRoute(.get, "/v1/admin/devices/{device}", .viewPeople) { call throws(Problem) in try call.device() },
    AdminRoute(.get, "/v1/admin/quarantine", .manageQuarantine, query: ["appId"] + page) { call throws(Problem) in
      try call.quarantine()
    },
    AdminRoute(.post, "/v1/admin/quarantine/restore", .manageQuarantine) { call throws(Problem) in
      try call.restoreQuarantine()
    },
    AdminRoute(.get, "/v1/admin/groups", .viewPeople, query: ["appId", "parent"] + page) { call throws(Problem) in
      try call.groups()
    },
    AdminRoute(.post, "/v1/admin/groups", .manageGroups) { call throws(Problem) in try call.createGroup() },
    AdminRoute(.get, "/v1/admin/groups/{groupSeq}", .viewPeople) { call throws(Problem) in try call.group() },
    AdminRoute(.patch, "/v1/admin/groups/{groupSeq}", .manageGroups) { call throws(Problem) in
      try call.changeGroup()
    },
    AdminRoute(.delete, "/v1/admin/groups/{groupSeq}", .manageGroups) { call throws(Problem) in
      try call.deleteGroup()
    },
    AdminRoute(.get, "/v1/admin/groups/{groupSeq}/members", .viewPeople, query: page) { call throws(Problem) in
      try call.groupMembers()
    },
    AdminRoute(.post, "/v1/admin/groups/{groupSeq}/members", .manageGroups) { call throws(Problem) in
      try call.changeMembers(adding: true)
    },
    AdminRoute(.post, "/v1/admin/groups/{groupSeq}/members/remove", .manageGroups) { call throws(Problem) in
      try call.changeMembers(adding: false)
    },
  ]

  private static let administration: [AdminRoute] = [
    AdminRoute(.get, "/v1/admin/apps", .viewMessages, query: page) { call throws(Problem) in try call.apps() },
    AdminRoute(.post, "/v1/admin/apps", .manageApps) { call throws(Problem) in try call.createApp() },
    AdminRoute(.get, "/v1/admin/apps/{appId}", .viewMessages) { call throws(Problem) in try call.app() },
    AdminRoute(.patch, "/v1/admin/apps/{appId}", .manageApps) { call throws(Problem) in try call.changeApp() },
    AdminRoute(.get, "/v1/admin/apps/{appId}/identity", .viewMessages) { call throws(Problem) in
      try call.appIdentity()
    },
    AdminRoute(.post, "/v1/admin/apps/{appId}/resume", .manageApps) { call throws(Problem) in try call.resumeApp() },
    AdminRoute(.get, "/v1/admin/credentials", .manageApps, query: ["appId"] + page) { call throws(Problem) in
      try call.credentials()
    },
    AdminRoute(.put, "/v1/admin/credentials", .manageApps) { call throws(Problem) in try call.setCredential() },
    AdminRoute(.delete, "/v1/admin/credentials", .manageApps, query: ["appId", "pnsId"]) { call throws(Problem) in
      try call.deleteCredential()
    },
    AdminRoute(.get, "/v1/admin/api-keys", .manageAccounts, query: ["appId"] + page) { call throws(Problem) in
      try call.keys()
    },
    AdminRoute(.post, "/v1/admin/api-keys", .manageAccounts) { call throws(Problem) in try call.createKey() },
    AdminRoute(.delete, "/v1/admin/api-keys/{apiKeyId}", .manageAccounts) { call throws(Problem) in
      try call.revokeKey()
    },
    AdminRoute(.get, "/v1/admin/statistics", .viewMessages, query: ["appId", "from", "to", "by", "per"]) {
      call throws(Problem) in try call.statistics()
    },
    AdminRoute(.get, "/v1/admin/audit", .viewAudit, query: ["appId", "action", "actor", "object"] + page) {
      call throws(Problem) in try call.audit()
    },
  ]

  /// What every list takes.
  static let page = ["limit", "cursor"]

  init(
    _ method: Method, _ pattern: String, _ permission: Permission?, query: [String] = [],
    endpoint: @escaping @Sendable (AdminCall) throws(Problem) -> Response
  ) {
    self.init(method, pattern, permission, query: query, .whole(endpoint))
  }

  init(
    _ method: Method, _ pattern: String, _ permission: Permission?, query: [String] = [], _ endpoint: Endpoint
  ) {
    self.method = method
    self.pattern = pattern
    self.permission = permission
    self.query = query
    self.endpoint = endpoint
    load = Self.load(method, pattern)
  }

  static func router() -> Router<AdminRoute> {
    var router = Router<AdminRoute>()
    for route in all { router.add(route.method, route.pattern, route) }
    return router
  }
}
