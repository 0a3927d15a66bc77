/// The effect of a fault. The first group applies to one request that has passed validation, the second to its
/// connection, and the third to a new connection.
package enum Effect: Equatable, Sendable {
  // MARK: One request

  /// Refuse the request. `reason` need not be one of Apple's.
  case answer(Answer)
  /// Accept the request, but delay the answer.
  case slow(Duration)
  /// Accept the request, but never answer.
  case silence
  /// Hold answers until there are this many, and send them in reverse order.
  case reorder(Int)
  /// Send RST_STREAM with this code; with `thenClosed` also a second one (STREAM_CLOSED), as observed at Apple.
  case reset(code: UInt32, thenClosed: Bool)
  /// Accept or refuse the request, but format the answer in an unusual way.
  case shape(Shape)

  // MARK: The request's connection

  case goAway(GoAway)
  /// Lower the stream limit to this number, and restore it after this time.
  case collapse(limit: Int, lasting: Duration)
  /// Answer as if the client had exceeded the stream limit: GOAWAY 7 with Apple's text.
  case violation
  case cut(Cut)

  // MARK: A new connection

  /// Send no WINDOW_UPDATE during this time.
  case withholdWindow(Duration)

  /// Close the connection with a TCP reset as soon as it is accepted.
  case refuse
  /// Wait before answering the TLS handshake.
  case delayHandshake(Duration)
  /// Offer no ALPN protocol that a provider supports, so that the handshake fails.
  case breakHandshake
  /// Present a certificate for another host.
  case wrongHost
  /// Present a certificate that expired yesterday.
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
    /// Time since the token became invalid; only with status 410.
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
      /// The last stream received: all requests were processed.
      case honest
      /// The stream before: the request that triggered the fault and all later ones are not processed.
      case before
      /// Stream 0: nothing was processed.
      case none
    }

    package enum Ending: String, Equatable, Sendable, CaseIterable {
      /// Answer open streams before closing.
      case drain
      /// Answer only the request that triggered the fault, then close.
      case close
      /// Process all requests received, but answer none, not even the one that triggered the fault.
      case silent
    }

    package var lastStream = LastStream.honest
    package var code: UInt32 = 0
    /// Debug data: JSON as Apple documents it, other text, or nothing.
    package var debugData = ""
    /// True to first send a GOAWAY with stream id 2^31−1.
    package var isTwice = false
    package var ending = Ending.drain

    package init() {}
  }

  /// True if the effect applies to a new connection (the third group).
  package var isOfConnection: Bool {
    switch self {
    case .refuse, .delayHandshake, .breakHandshake, .wrongHost, .expiredCertificate, .delaySettings, .ignoreSettings,
      .unknownSettings, .withholdWindow:
      true
    default: false
    }
  }
}
