/// What a fault does. The first group befalls one request that has passed validation; the second, its connection; the
/// third, a connection as it begins.
package enum Effect: Equatable, Sendable {
  // MARK: One request

  /// A refusal. `reason` may be one that Apple does not have.
  case answer(Answer)
  /// Accepted, but the answer takes this long.
  case slow(Duration)
  /// Accepted, and never answered.
  case silence
  /// Answers wait until this many are there, and go out last first.
  case reorder(Int)
  /// RST_STREAM with this code; with `thenClosed` a second one (STREAM_CLOSED) follows, as observed at Apple's.
  case reset(code: UInt32, thenClosed: Bool)
  /// Accepted, but the answer has an unusual shape.
  case shape(Shape)

  // MARK: The request's connection

  case goAway(GoAway)
  /// The stream limit drops to this, and comes back after the time.
  case collapse(limit: Int, lasting: Duration)
  /// The answer to a client that exceeds the limit, though it did not: GOAWAY 7 with Apple's text.
  case violation
  case cut(Cut)

  // MARK: A connection as it begins

  /// No WINDOW_UPDATE until the time is over.
  case withholdWindow(Duration)

  /// Closed with a reset as soon as it is accepted.
  case refuse
  /// The handshake begins this much later.
  case delayHandshake(Duration)
  /// Bytes that are no TLS, then the end.
  case breakHandshake
  /// A certificate for another host, or one that ended yesterday.
  case wrongHost
  case expiredCertificate
  /// Our SETTINGS come this much later.
  case delaySettings(Duration)
  /// The client's SETTINGS are never acknowledged.
  case ignoreSettings
  /// Settings that nobody knows (RFC 9113, 6.5.2: must be ignored).
  case unknownSettings

  package struct Answer: Equatable, Sendable {
    package var status: Int
    package var reason: String
    /// How long ago the token ended; only with 410.
    package var age: Duration?
    /// Seconds for a `retry-after` header.
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
    /// A refusal whose JSON comes in DATA frames of one byte.
    case split
    /// A 103 before the answer.
    case interim
    /// A refusal with a body that is no JSON.
    case text
    /// A refusal without body.
    case empty
    /// 200 without `apns-id`.
    case withoutID = "without-id"
    /// 200 with headers that nobody knows.
    case extraHeaders = "extra-headers"
  }

  package enum Cut: String, Equatable, Sendable, CaseIterable {
    /// TCP reset.
    case reset
    /// FIN without TLS close_notify.
    case fin
    /// The peer stays connected, but nothing is read or written any more.
    case halfOpen = "half-open"
  }

  package struct GoAway: Equatable, Sendable {
    package enum LastStream: String, Equatable, Sendable, CaseIterable {
      /// All requests that came are answered.
      case honest
      /// The request that set it off and those after it are not processed.
      case before
      /// Stream 0: nothing was processed.
      case none
    }

    package enum Ending: String, Equatable, Sendable, CaseIterable {
      /// Open streams are answered first.
      case drain
      /// The request that set it off is answered; what is still waiting is not.
      case close
      /// All that came was processed, and not even the request that set it off is answered.
      case silent
    }

    package var lastStream = LastStream.honest
    package var code: UInt32 = 0
    /// Debug data: JSON as Apple documents, other text, or nothing.
    package var debugData = ""
    /// GOAWAY 2^31−1 first.
    package var isTwice = false
    package var ending = Ending.drain

    package init() {}
  }

  /// True when the effect belongs to the third group.
  package var isOfConnection: Bool {
    switch self {
    case .refuse, .delayHandshake, .breakHandshake, .wrongHost, .expiredCertificate, .delaySettings, .ignoreSettings,
      .unknownSettings, .withholdWindow:
      true
    default: false
    }
  }
}
