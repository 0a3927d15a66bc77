import Domain
import HTTPClient
import HTTPServer
import Operations
import Testing

@testable import API

@Suite struct AdminRouteTests {
  /// Who may use each route. A route without a line here fails the test.
  static let allowed: [String: Set<Role>] = [
    "POST /v1/admin/messages": [.sender, .operator, .admin],
    "GET /v1/admin/messages/{seqno}": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages/{seqno}/shards": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages/{seqno}/deliveries": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages/{seqno}/events": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/overview/events": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/messages/{seqno}/pause": [.sender, .operator, .admin],
    "POST /v1/admin/messages/{seqno}/resume": [.sender, .operator, .admin],
    "POST /v1/admin/messages/{seqno}/cancel": [.sender, .operator, .admin],
    "POST /v1/admin/messages/{seqno}/resend": [.sender, .operator, .admin],
    "PATCH /v1/admin/messages/{seqno}": [.sender, .operator, .admin],
    "PUT /v1/admin/messages/{seqno}": [.sender, .operator, .admin],
    "GET /v1/admin/messages/{seqno}/request": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages/{seqno}/failures": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/messages/{seqno}/users/{clientUid}/explain": [.operator, .viewer, .admin],
    "GET /v1/admin/users": [.operator, .viewer, .admin],
    "GET /v1/admin/users/{clientUid}": [.operator, .viewer, .admin],
    "GET /v1/admin/users/{clientUid}/messages": [.operator, .viewer, .admin],
    "DELETE /v1/admin/users/{clientUid}": [.admin],
    "GET /v1/admin/users/{clientUid}/export": [.admin],
    "PUT /v1/admin/users/{clientUid}/badge": [.operator, .admin],
    "POST /v1/admin/users/{clientUid}/vouchers": [.sender, .admin],
    "GET /v1/admin/devices": [.operator, .viewer, .admin],
    "GET /v1/admin/devices/{device}": [.operator, .viewer, .admin],
    "GET /v1/admin/groups": [.operator, .viewer, .admin],
    "POST /v1/admin/uploads": [.sender, .operator, .admin],
    "GET /v1/admin/uploads": [.sender, .operator, .admin],
    "DELETE /v1/admin/uploads/{uploadId}": [.operator, .admin],
    "GET /v1/admin/audiences/csv": [.sender, .operator, .admin],
    "DELETE /v1/admin/audiences/csv/{csvId}": [.operator, .admin],
    "GET /v1/admin/apps/{appId}/storage": [.sender, .operator, .admin],
    "GET /v1/admin/apps/{appId}/test-groups": [.sender, .operator, .admin],
    "PUT /v1/admin/apps/{appId}/test-groups": [.operator, .admin],
    "GET /v1/admin/quarantine/reasons": [.operator, .admin],
    "POST /v1/admin/groups": [.operator, .admin],
    "GET /v1/admin/groups/{groupSeq}": [.operator, .viewer, .admin],
    "PATCH /v1/admin/groups/{groupSeq}": [.operator, .admin],
    "DELETE /v1/admin/groups/{groupSeq}": [.operator, .admin],
    "GET /v1/admin/groups/{groupSeq}/members": [.operator, .viewer, .admin],
    "POST /v1/admin/groups/{groupSeq}/members": [.operator, .admin],
    "POST /v1/admin/groups/{groupSeq}/members/remove": [.operator, .admin],
    "GET /v1/admin/apps": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/apps": [.admin],
    "GET /v1/admin/apps/{appId}": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/apps/{appId}/identity": [.sender, .operator, .viewer, .admin],
    "PATCH /v1/admin/apps/{appId}": [.admin],
    "POST /v1/admin/apps/{appId}/channels": [.sender, .operator, .admin],
    "GET /v1/admin/apps/{appId}/channels": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/apps/{appId}/channels/{channelId}": [.sender, .operator, .viewer, .admin],
    "DELETE /v1/admin/apps/{appId}/channels/{channelId}": [.sender, .operator, .admin],
    "POST /v1/admin/apps/{appId}/channels/{channelId}/updates": [.sender, .operator, .admin],
    "GET /v1/admin/apps/{appId}/channels-at-apple": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/credentials": [.admin],
    "PUT /v1/admin/credentials": [.admin],
    "DELETE /v1/admin/credentials": [.admin],
    "GET /v1/admin/api-keys": [.admin],
    "POST /v1/admin/api-keys": [.admin],
    "DELETE /v1/admin/api-keys/{apiKeyId}": [.admin],
    "GET /v1/admin/audit": [.admin],
    "POST /v1/admin/session": [],
    "GET /v1/admin/session": [.sender, .operator, .viewer, .admin],
    "DELETE /v1/admin/session": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/session/password": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/session/methods": [],
    "POST /v1/admin/session/openid": [],
    "POST /v1/admin/session/openid/answer": [],
    "GET /v1/admin/sessions": [.sender, .operator, .viewer, .admin],
    "DELETE /v1/admin/sessions": [.sender, .operator, .viewer, .admin],
    "DELETE /v1/admin/sessions/{sessionId}": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/session/second-factor": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/session/second-factor": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/session/second-factor": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/session/second-factor/recovery-codes": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/session/second-factor/removal": [.sender, .operator, .viewer, .admin],
    "DELETE /v1/admin/accounts/{accountId}/second-factor": [.admin],
    "POST /v1/admin/apps/{appId}/client-key": [.admin],
    "DELETE /v1/admin/apps/{appId}/client-key/former": [.admin],
    "GET /v1/admin/accounts": [.admin],
    "POST /v1/admin/accounts": [.admin],
    "PATCH /v1/admin/accounts/{accountId}": [.admin],
    "POST /v1/admin/accounts/{accountId}/link": [.admin],
    "GET /v1/admin/statistics": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/statistics/campaigns": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/statistics/hours": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/server": [.operator, .admin],
    "GET /v1/admin/exports/statistics": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/exports/campaigns": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/quarantine": [.operator, .admin],
    "POST /v1/admin/quarantine/restore": [.operator, .admin],
    "POST /v1/admin/apps/{appId}/resume": [.admin],
    "DELETE /v1/admin/apps/{appId}": [.admin],
    "POST /v1/admin/apps/{appId}/restore": [.admin],
    "GET /v1/admin/exports/devices": [.operator, .admin],
    "POST /v1/admin/tags": [.operator, .admin],
    "GET /v1/admin/tags": [.operator, .admin],
    "POST /v1/admin/segments": [.operator, .admin],
    "GET /v1/admin/segments": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/segment-counts": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/segments/{segmentId}": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/segments/{segmentId}": [.operator, .admin],
    "DELETE /v1/admin/segments/{segmentId}": [.operator, .admin],
    "GET /v1/admin/segments/{segmentId}/count": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/templates": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/templates": [.operator, .admin],
    "GET /v1/admin/templates/{templateId}": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/templates/{templateId}": [.operator, .admin],
    "DELETE /v1/admin/templates/{templateId}": [.operator, .admin],
    "GET /v1/admin/drafts": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/drafts": [.operator, .admin],
    "GET /v1/admin/drafts/{draftId}": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/drafts/{draftId}": [.operator, .admin],
    "DELETE /v1/admin/drafts/{draftId}": [.operator, .admin],
    "GET /v1/admin/senders": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/senders": [.operator, .admin],
    "GET /v1/admin/senders/{senderId}": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/senders/{senderId}": [.operator, .admin],
    "DELETE /v1/admin/senders/{senderId}": [.operator, .admin],
    "GET /v1/admin/imports": [.operator, .admin],
    "POST /v1/admin/imports": [.operator, .admin],
    "GET /v1/admin/imports/{importId}": [.operator, .admin],
    "GET /v1/admin/imports/{importId}/errors": [.operator, .admin],
    "PUT /v1/admin/imports/{importId}/parts/{part}": [.operator, .admin],
    "POST /v1/admin/imports/{importId}/cancel": [.operator, .admin],
    "GET /v1/admin/exports/users": [.operator, .admin],
    "GET /v1/admin/exports/members": [.operator, .admin],
    "GET /v1/admin/exports/deliveries": [.operator, .admin],
    "GET /v1/admin/exports/audit": [.admin],
    "GET /v1/admin/approvals": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/approvals/{approvalId}": [.sender, .operator, .viewer, .admin],
    "POST /v1/admin/approvals/{approvalId}/approve": [.operator, .admin],
    "POST /v1/admin/approvals/{approvalId}/reject": [.operator, .admin],
    "POST /v1/admin/audiences/csv": [.sender, .operator, .admin],
    "POST /v1/admin/webhooks": [.admin],
    "GET /v1/admin/webhooks": [.operator, .admin],
    "GET /v1/admin/webhooks/{webhookId}": [.operator, .admin],
    "PATCH /v1/admin/webhooks/{webhookId}": [.admin],
    "DELETE /v1/admin/webhooks/{webhookId}": [.admin],
    "POST /v1/admin/webhooks/{webhookId}/test": [.operator, .admin],
    "GET /v1/admin/webhooks/{webhookId}/deliveries": [.operator, .admin],
    "POST /v1/admin/webhooks/{webhookId}/replay": [.operator, .admin],
    "GET /v1/admin/messages/{seqno}/fallbacks": [.sender, .operator, .viewer, .admin],
    "GET /v1/admin/apps/{appId}/ad-rules": [.sender, .operator, .viewer, .admin],
    "PUT /v1/admin/apps/{appId}/ad-rules": [.admin],
  ]

  /// Routes that refuse a caller of one app, whatever its role.
  private static let ofAllApps: Set<String> = [
    "GET /v1/admin/server", "DELETE /v1/admin/apps/{appId}", "POST /v1/admin/apps/{appId}/restore",
  ]

  private static let routes = Endpoint.ofAdmin.map { "\($0.method.rawValue) \($0.pattern)" }

  @Test func `the table and the router name the same routes`() {
    #expect(Set(Self.routes) == Set(Self.allowed.keys))
  }

  @Test func `each route lets in the roles of the table, over every key`() throws {
    let world = try AdminWorld()
    var keys: [Role: String] = [:]
    var keysOfAll: [Role: String] = [:]
    for role in Role.allCases { (keys[role], keysOfAll[role]) = (try world.key(role), try world.key(role, app: nil)) }
    for route in Endpoint.ofAdmin where route.permission != nil {
      let name = "\(route.method.rawValue) \(route.pattern)"
      let roles = try #require(Self.allowed[name], "no rule for \(name)")
      // What is not there is refused by its endpoint, so nothing is changed under way.
      let target = route.pattern.replacing("{appId}", with: "com.example.bank")
        .replacing(/{[a-zA-Z]+}/, with: "999")
        // Of all apps it would be told for a quarter of an hour.
        .replacing("/overview/events", with: "/overview/events?appId=nobody")
      for role in Role.allCases {
        // An empty object is refused by every endpoint, so a 403 can only mean the role.
        let key = Self.ofAllApps.contains(name) ? keysOfAll[role] : keys[role]
        let response = try world.call(route.method.rawValue, target, key: key, "{}")
        #expect(response.isProblem(.forbidden) == !roles.contains(role), "\(role) \(name): \(response.status)")
      }
      #expect(try world.call(route.method.rawValue, target, "{}").isProblem(.noCredential), "\(name)")
      #expect(try world.call(route.method.rawValue, target, key: "upmc_no", "{}").isProblem(.badCredential), "\(name)")
    }
  }
}
