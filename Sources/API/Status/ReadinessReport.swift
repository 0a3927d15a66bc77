package import Domain
internal import JSON
internal import Operations
package import Time

/// Reports whether this node can deliver, for `/ready`. Called on any thread.
package protocol ReadinessReport {
  /// True if the database refused the last connection that an admin request needed, and no connection has succeeded
  /// since.
  var lacksConnections: Bool { get }

  /// Returns the node's current state.
  /// - Parameter isOutOfRoom: whether the database refused the last write for lack of disk space.
  func readiness(isOutOfRoom: Bool) -> ReadinessAnswer
}

/// Whether a node can deliver, and what prevents pushes from being sent.
package struct ReadinessAnswer: Sendable {
  /// Sentences that state what prevents pushes from being sent.
  package var complaints: [Sentence]
  package var credentials: Int
  /// Time at which a network last accepted a push; nil if none has yet.
  package var lastAcceptedAt: Timestamp?
  package var overdueDeliveries: Int64
  package var nodes: Int64

  package init(
    complaints: [Sentence], credentials: Int, lastAcceptedAt: Timestamp?, overdueDeliveries: Int64, nodes: Int64
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
      .always("complaints", .list(of: .sentence), \.complaints, "What keeps pushes from leaving."),
      .always("credentials", .count, \.credentials), .always("lastAcceptedAt", .orNull(.moment), \.lastAcceptedAt),
      .always("overdueDeliveries", .count, \.overdueDeliveries), .always("nodes", .count, \.nodes),
    ])
}
