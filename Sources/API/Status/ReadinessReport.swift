package import Domain
internal import JSON
internal import Operations
package import Time

/// Reports whether this node can deliver, for `/ready`. Callable from any thread.
package protocol ReadinessReport {
  /// True if an admin thread could not reach the database, and no connection has succeeded since.
  var lacksConnections: Bool { get }

  /// Returns the node's current state.
  /// - Parameter isOutOfRoom: whether the database refused the last write for lack of disk space.
  func readiness(isOutOfRoom: Bool) -> ReadinessAnswer
}

/// The answer of `/ready` from a node that reaches its database: what prevents pushes from being sent, if anything.
package struct ReadinessAnswer: Sendable {
  /// Sentences that state what prevents pushes from being sent; empty if the status is `ok`.
  package var complaints: [Sentence]
  package var credentials: Int
  /// Time at which a push network last accepted a push; nil if none is known.
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
