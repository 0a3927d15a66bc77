internal import HTTPServer

/// How much of a thread's time each route takes by its nature.
extension AdminRoute {
  /// What grows with the number of people, deliveries or entries. Pausing a message and revoking a key are not among
  /// it. What brings a long body is heavy on any route (`AdminWork`).
  static let heavy: Set<String> = [
    "POST /v1/admin/segment-counts", "GET /v1/admin/segments/{segment}/count", "GET /v1/admin/statistics",
    "GET /v1/admin/users", "GET /v1/admin/users/{clientUid}/messages", "GET /v1/admin/devices",
    "GET /v1/admin/quarantine", "GET /v1/admin/audit",
    "GET /v1/admin/messages/{seqno}/deliveries", "GET /v1/admin/messages/{seqno}/failures",
    "POST /v1/admin/audiences/csv", "POST /v1/admin/uploads", "PUT /v1/admin/imports/{importId}/parts/{part}",
    "POST /v1/admin/tags", "POST /v1/admin/groups/{groupSeq}/members",
    "POST /v1/admin/groups/{groupSeq}/members/remove", "GET /v1/admin/exports/users",
  ]

  /// What hashes a password, a tenth of a second and 32 MiB each.
  static let passwords: Set<String> = ["POST /v1/admin/session", "PUT /v1/admin/session/password"]

  static func load(_ method: Method, _ pattern: String) -> AdminWork.Load {
    let name = "\(method.rawValue) \(pattern)"
    return passwords.contains(name) ? .password : heavy.contains(name) ? .heavy : .light
  }
}
