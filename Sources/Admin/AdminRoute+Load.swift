internal import HTTPServer

/// How much of a thread's time each route takes by its nature.
extension AdminRoute {
  /// What grows with the number of people, deliveries or entries. Whatever somebody must be able to do at any time (pause a
  /// message, revoke a key) is not among it.
  static let heavy: Set<String> = [
    "POST /v1/admin/segment-counts", "GET /v1/admin/segments/{segment}/count", "GET /v1/admin/statistics",
    "GET /v1/admin/users", "GET /v1/admin/devices", "GET /v1/admin/quarantine", "GET /v1/admin/audit",
    "GET /v1/admin/messages/{seqno}/deliveries", "GET /v1/admin/messages/{seqno}/failures",
    "POST /v1/admin/audiences/csv", "POST /v1/admin/uploads",
  ]

  /// What hashes a password, a tenth of a second and 32 MiB each.
  static let passwords: Set<String> = ["POST /v1/admin/session", "PUT /v1/admin/session/password"]

  static func load(_ method: Method, _ pattern: String) -> AdminWork.Load {
    let name = "\(method.rawValue) \(pattern)"
    return passwords.contains(name) ? .password : heavy.contains(name) ? .heavy : .light
  }
}
