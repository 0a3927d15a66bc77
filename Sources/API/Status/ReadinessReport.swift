package import JSON

/// What a node says of its own ability to deliver, as `/ready` tells it. Asked on any thread.
package protocol ReadinessReport {
  /// The database has given no connection for an admin request, and has not been found to give one since.
  var lacksConnections: Bool { get }

  /// Writes the members of the answer.
  /// - Parameter isOutOfRoom: the database has refused the last write for want of room.
  func write(to writer: inout JSONWriter, isOutOfRoom: Bool)
}
