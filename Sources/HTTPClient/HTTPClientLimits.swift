/// Limits of this module. Decision 103.
package enum HTTPClientLimits {
  /// Maximum size in bytes of a response's status line and headers, including those of preceding 1xx responses.
  static let headBytes = 65_536
  /// Maximum number of 1xx responses before the final one; servers send one or two.
  package static let announcements = 8
  /// Maximum bytes read from one connection per loop iteration, so that other handlers and timeouts are served too.
  package static let bytesPerTurn = 262_144
  /// The default maximum size of a response body in bytes.
  package static let bodyBytes = 16 << 20
  /// Maximum size in bytes of a chunk line, of all chunk extensions and of all trailers.
  static let chunkLineBytes = 8_192
  /// The default maximum number of requests waiting for a connection.
  package static let waitingRequests = 100_000
  /// The interval at which timeouts are checked while requests are pending.
  static let timeoutStep = Duration.milliseconds(100)
}
