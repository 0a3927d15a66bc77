/// A request to the server, or for a page or a medium that a payload names.
public struct WireRequest: Sendable, Equatable {
  /// `GET`, `POST`, `PUT` or `DELETE`.
  public var method: String
  /// Scheme, host, port and path in front, without a slash at its end.
  public var origin: String
  /// The path with its query, percent-encoded; begins with a slash.
  public var path: String
  /// For `Authorization: Bearer`; nil where the body proves itself.
  public var bearer: String?
  /// JSON.
  public var body: [UInt8]?
  /// Bytes of the answer's body that are read; a longer one is a failure.
  public var mostBytes = ClientLimits.answerBytes
  /// From here to the whole answer.
  public var seconds = ClientLimits.callSeconds

  /// A request without a key and without a body.
  public init(_ method: String, _ path: String, at origin: String) {
    self.method = method
    self.path = path
    self.origin = origin
  }

  /// The whole address.
  public var url: String { origin + path }
}

/// What came back.
public struct WireAnswer: Sendable, Equatable {
  /// The HTTP status.
  public var status: Int
  /// `Retry-After` in seconds, when it is a number.
  public var retryAfterSeconds: Int?
  /// `Content-Type`, when there is one.
  public var contentType: String?
  /// The body, no longer than the request allows.
  public var body: [UInt8]

  /// An answer as a transport read it.
  public init(status: Int, retryAfterSeconds: Int? = nil, contentType: String? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.contentType = contentType
    self.body = body
  }

  /// The server cannot take it now.
  var isBusy: Bool { status == 429 || status >= 500 }
}

/// There is no answer. The server may have done what was asked.
public struct NoAnswer: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is known of the reason.
  public let description: String

  /// - Parameter description: for people.
  public init(_ description: String) {
    self.description = description
  }
}

/// The way to the server: `URLSessionTransport` of `UPMCClientURLSession`, or an app's own.
///
/// It follows no redirect, keeps no cookie and no cache, and ends by itself after the request's seconds.
public protocol Transport {
  /// Sends a request. `completion` is called once, on any thread.
  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void)
}

extension Transport {
  /// Sends a request and waits for the answer.
  func send(_ request: WireRequest) async -> Result<WireAnswer, NoAnswer> {
    await withCheckedContinuation { continuation in send(request) { continuation.resume(returning: $0) } }
  }
}
