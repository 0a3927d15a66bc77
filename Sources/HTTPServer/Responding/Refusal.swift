/// The server's own response to a request that it does not pass to the handler. Its text contains nothing of the
/// request.
struct Refusal {
  /// The counter that a refusal increments.
  enum Cause {
    /// The request is malformed, cut off or too large, or has an unknown expectation.
    case malformed
    case tooSlow
    /// The server as a whole is overloaded.
    case overload
    /// The client's address exceeds its limit.
    case address
  }

  let status: Status
  let detail: String
  let cause: Cause

  init(_ status: Status, _ detail: String, _ cause: Cause = .malformed) {
    self.status = status
    self.detail = detail
    self.cause = cause
  }

  init(_ malformed: Malformed) {
    self.init(malformed.status, "\(malformed.reason)")
  }

  static var tooManyConnections: Refusal {
    Refusal(.serviceUnavailable, "There are too many connections.", .overload)
  }
  static var tooManyOfAddress: Refusal {
    Refusal(.tooManyRequests, "There are too many connections from this address.", .address)
  }
  static var tooManyRequests: Refusal {
    Refusal(.tooManyRequests, "There are too many requests from this address.", .address)
  }
  static var noRoomForBody: Refusal {
    Refusal(.serviceUnavailable, "Too many large requests are under way. Try again in a moment.", .overload)
  }
  static var cutOff: Refusal { Refusal(.badRequest, "The connection ended in the middle of a request.") }
  static var tooSlow: Refusal { Refusal(.requestTimeout, "The request took too long to arrive.", .tooSlow) }
  static var unknownExpectation: Refusal {
    Refusal(.expectationFailed, "Only the expectation 100-continue can be met (RFC 9110 §10.1.1).")
  }

  /// Returns the refusal of a body that is too large.
  /// - Parameter limit: the size limit that the body exceeds, in bytes.
  static func tooLarge(_ limit: Int) -> Refusal {
    Refusal(.contentTooLarge, "The body is too large: what is asked here takes \(limit) bytes at most.")
  }

  /// Returns the response that reports the refusal; with `Retry-After: 1` if the cause is overload or a limit per
  /// address.
  /// - Parameter number: random number of the request, for its id.
  func response(_ number: UInt64) -> Response {
    var response = Problem.response(status, detail, number: number)
    switch cause {
    case .overload, .address: response.headers.append(("Retry-After", "1"))
    case .malformed, .tooSlow: break
    }
    return response
  }
}
