/// Numbers of this module: unit, reason. Decision 103.
package enum HTTPClientLimits {
  /// Bytes of an answer's status line and headers, with those of the 1xx before it.
  package static let headBytes = 65_536
  /// Announcements (1xx) before an answer: servers send one or two.
  package static let announcements = 8
  /// Bytes read from one connection before others of the loop, and the deadlines, get their turn.
  package static let bytesPerTurn = 262_144
  /// Bytes of an answer's body, unless configured otherwise.
  package static let bodyBytes = 16 << 20
  /// Bytes of one line between chunks, of all extensions of chunks, and of all trailers.
  package static let chunkLineBytes = 8_192
  /// Requests that may wait for a connection, unless configured otherwise.
  package static let waitingRequests = 100_000
  /// How often deadlines are looked at while anything is under way.
  package static let timeoutStep = Duration.milliseconds(100)
}
