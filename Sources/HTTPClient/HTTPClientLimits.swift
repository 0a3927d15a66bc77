/// Numbers of this module: unit, reason. Decision 103.
package enum HTTPClientLimits {
  /// Maximum status line and headers of a response, including those of preceding 1xx responses, in bytes.
  package static let headBytes = 65_536
  /// Maximum 1xx responses before the final one: servers send one or two.
  package static let announcements = 8
  /// Bytes read from one connection before the loop's other handlers and deadlines get their turn.
  package static let bytesPerTurn = 262_144
  /// Maximum response body, in bytes, unless configured otherwise.
  package static let bodyBytes = 16 << 20
  /// Maximum bytes of a chunk line, of all chunk extensions, and of all trailers.
  package static let chunkLineBytes = 8_192
  /// Maximum requests queued for a connection, unless configured otherwise.
  package static let waitingRequests = 100_000
  /// Interval of the deadline check while anything is in flight.
  package static let timeoutStep = Duration.milliseconds(100)
}
