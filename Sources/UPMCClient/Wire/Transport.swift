/// A request to the server, or for a page or media file that a payload refers to.
public struct WireRequest: Sendable, Equatable {
  /// The HTTP method: `GET`, `POST`, `PUT` or `DELETE`.
  public var method: String
  /// The scheme, host, port and path prefix, without a trailing slash.
  public var origin: String
  /// The path and query, percent-encoded, with a leading slash.
  public var path: String
  /// The token for `Authorization: Bearer`; nil to send no such header.
  public var bearer: String?
  /// The JSON body; nil for none.
  public var body: [UInt8]?
  /// Maximum size of the answer's body in bytes; for a larger one, the transport passes `NoAnswer`.
  public var mostBytes = ClientLimits.answerBytes
  /// Timeout in seconds, from sending the request until the answer is complete.
  public var seconds = ClientLimits.callSeconds

  /// Creates a request without authentication or body, and with the default limits.
  public init(_ method: String, _ path: String, at origin: String) {
    self.method = method
    self.path = path
    self.origin = origin
  }

  /// The complete URL.
  public var url: String { origin + path }
}

/// The answer to a request.
public struct WireAnswer: Sendable, Equatable {
  /// The HTTP status.
  public var status: Int
  /// The value of `Retry-After` in seconds; nil if absent or a date.
  public var retryAfterSeconds: Int?
  /// The value of `Content-Type`; nil if absent.
  public var contentType: String?
  /// The body, at most as long as the request allows.
  public var body: [UInt8]

  /// Creates an answer, for a `Transport` to pass to `completion`, whatever its status. Without a complete answer, a
  /// transport passes `NoAnswer` instead.
  public init(status: Int, retryAfterSeconds: Int? = nil, contentType: String? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.contentType = contentType
    self.body = body
  }

  /// The seconds of `Retry-After` that are honored, 0…3,600, whatever the server says; nil if absent.
  var honoredRetryAfterSeconds: Int? {
    retryAfterSeconds.map { min(max($0, 0), ClientLimits.longestRestSeconds) }
  }

  /// True if the server is overloaded or unavailable at present (status 429 or 5xx).
  var isBusy: Bool { status == 429 || status >= 500 }
}

/// The error of a request that got no complete answer, or one that was too large. The server may have executed the
/// request.
public struct NoAnswer: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, as far as known.
  public let description: String

  /// Creates the error.
  /// - Parameter description: the reason, for people to read.
  public init(_ description: String) {
    self.description = description
  }
}

/// Sends requests to the server: `URLSessionTransport` of `UPMCClientURLSession`, or an app's own implementation.
///
/// An implementation must not follow redirects or keep cookies or caches, and must enforce the request's timeout and
/// maximum size.
public protocol Transport {
  /// Sends a request without blocking. Calls `completion` exactly once, on any thread: with the answer, whatever its
  /// status, or with `NoAnswer`.
  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void)
}

extension Transport {
  /// Sends a request and waits for the answer, without blocking a thread. Returns `NoAnswer` if there is none; does not
  /// repeat the request.
  func send(_ request: WireRequest) async -> Result<WireAnswer, NoAnswer> {
    await withCheckedContinuation { continuation in send(request) { continuation.resume(returning: $0) } }
  }
}
