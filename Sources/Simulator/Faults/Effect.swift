/// What a fault does. The first group concerns one request that has passed validation, the second its connection, and
/// the third a new connection.
package enum Effect: Equatable, Sendable {
  // MARK: One request

  /// A refusal. `reason` need not be one of Apple's.
  case answer(Answer)
  /// Accept the request, but delay the answer.
  case slow(Duration)
  /// Accept the request, but never answer.
  case silence
  /// Hold answers until there are this many, and send them in reverse order.
  case reorder(Int)
  /// RST_STREAM with this code; with `thenClosed` followed by a second one (STREAM_CLOSED), as observed at Apple.
  case reset(code: UInt32, thenClosed: Bool)
  /// Accept or refuse the request, but format the answer in an unusual way.
  case shape(Shape)

  // MARK: The request's connection

  case goAway(GoAway)
  /// Lower the stream limit to this number, and restore it after the time.
  case collapse(limit: Int, lasting: Duration)
  /// Answer as if the client had exceeded the stream limit: GOAWAY 7 with Apple's text.
  case violation
  case cut(Cut)

  // MARK: A connection as it begins

  /// Send no WINDOW_UPDATE until the time is over.
  case withholdWindow(Duration)

  /// Close the connection with a TCP reset as soon as it is accepted.
  case refuse
  /// Wait before answering the TLS handshake.
  case delayHandshake(Duration)
  /// Send bytes that are not TLS, then close.
  case breakHandshake
  /// Present a certificate for another host, or one that expired yesterday.
  case wrongHost
  case expiredCertificate
  /// Wait before sending our SETTINGS frame.
  case delaySettings(Duration)
  /// Never acknowledge the client's SETTINGS.
  case ignoreSettings
  /// Send unknown settings (RFC 9113, 6.5.2: must be ignored).
  case unknownSettings

  package struct Answer: Equatable, Sendable {
    package var status: Int
    package var reason: String
    /// How long ago the token ended; only with status 410.
    package var age: Duration?
    /// Seconds for a `retry-after` header; nil for none.
    package var retryAfterSeconds: Int?

    package init(_ reason: Reason, age: Duration? = nil, retryAfterSeconds: Int? = nil) {
      self.init(status: reason.status, reason: reason.rawValue, age: age, retryAfterSeconds: retryAfterSeconds)
    }

    package init(status: Int, reason: String, age: Duration? = nil, retryAfterSeconds: Int? = nil) {
      self.status = status
      self.reason = reason
      self.age = age
      self.retryAfterSeconds = retryAfterSeconds
    }
  }

  package enum Shape: String, Equatable, Sendable, CaseIterable {
    /// A refusal whose JSON is sent in DATA frames of one byte.
    case split
    /// A 103 response before the answer.
    case interim
    /// A refusal whose body is not JSON.
    case text
    /// A refusal whose response has no body.
    case empty
    /// A response with status 200 but without `apns-id`.
    case withoutID = "without-id"
    /// A response with status 200 and headers that Apple does not document.
    case extraHeaders = "extra-headers"
  }

  package enum Cut: String, Equatable, Sendable, CaseIterable {
    /// Reset the TCP connection.
    case reset
    /// Close the TCP connection without a TLS close_notify.
    case fin
    /// The connection stays open, but nothing is read or written any more.
    case halfOpen = "half-open"
  }

  package struct GoAway: Equatable, Sendable {
    package enum LastStream: String, Equatable, Sendable, CaseIterable {
      /// All requests received are answered.
      case honest
      /// The request that triggered the fault and all later ones are not processed.
      case before
      /// Stream 0: nothing was processed.
      case none
    }

    package enum Ending: String, Equatable, Sendable, CaseIterable {
      /// Answer open streams before closing.
      case drain
      /// Answer the request that triggered the fault, but no other open stream.
      case close
      /// All requests received are processed, but none is answered, not even the one that triggered the fault.
      case silent
    }

    package var lastStream = LastStream.honest
    package var code: UInt32 = 0
    /// Debug data: JSON as Apple documents it, other text, or nothing.
    package var debugData = ""
    /// True to send a GOAWAY with 2^31−1 first.
    package var isTwice = false
    package var ending = Ending.drain

    package init() {}
  }

  /// True if the effect concerns new connections (the third group).
  package var isOfConnection: Bool {
    switch self {
    case .refuse, .delayHandshake, .breakHandshake, .wrongHost, .expiredCertificate, .delaySettings, .ignoreSettings,
      .unknownSettings, .withholdWindow:
      true
    default: false
    }
  }
}
