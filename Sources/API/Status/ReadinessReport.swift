internal import JSON
internal import Operations

/// A node's own report on its ability to deliver, for `/ready`. Called on any thread.
package protocol ReadinessReport {
  /// The database refused a connection for admin requests, and has given none since.
  var lacksConnections: Bool { get }

  /// - Parameter isOutOfRoom: whether the database refused the last write for lack of space.
  func readiness(isOutOfRoom: Bool) -> ReadinessAnswer
}

/// Whether a node can deliver, and what keeps pushes from leaving.
package struct ReadinessAnswer: Sendable {
  /// What keeps pushes from leaving.
  package var complaints: [String]
  package var credentials: Int
  /// Microseconds since 1970; nil: none yet.
  package var lastAcceptedAt: Int64?
  package var overdueDeliveries: Int64
  package var nodes: Int64

  package init(
    complaints: [String], credentials: Int, lastAcceptedAt: Int64?, overdueDeliveries: Int64, nodes: Int64
  ) {
    self.complaints = complaints
    self.credentials = credentials
    self.lastAcceptedAt = lastAcceptedAt
    self.overdueDeliveries = overdueDeliveries
    self.nodes = nodes
  }

  static let object = JSONObject<ReadinessAnswer>(
    "Readiness",
    [
      .always("status", .words(["ok", "degraded"]), { $0.complaints.isEmpty ? "ok" : "degraded" }),
      .always("complaints", .list(of: .anyText), \.complaints, "What keeps pushes from leaving."),
      .always("credentials", .count, \.credentials), .always("lastAcceptedAt", .orNull(.moment), \.lastAcceptedAt),
      .always("overdueDeliveries", .count, \.overdueDeliveries), .always("nodes", .count, \.nodes),
    ])
}
