internal import Domain
internal import Time

/// A refusal to be verified with the other environment before it is believed: a sandbox token is a bad token in
/// production, and vice versa.
struct TokenQuestion: Hashable, Sendable {
  /// The environment whose answer was the refusal.
  let environment: PushEnvironment
  /// The network's error code.
  let refusal: String
  /// When the refused token was read, in nanoseconds of the monotonic clock. The same for all targets of a batch, so
  /// that they can be verified together.
  let readAtNanoseconds: Int64
  /// True for the second step of the verification, in which the first environment is asked once more: the other one did
  /// not accept the push or could not be reached, and the refusal concerned the credential's key, not the token.
  private(set) var isRepeated = false

  init(environment: PushEnvironment, refusal: String, readAtNanoseconds: Int64) {
    self.environment = environment
    self.refusal = refusal
    self.readAtNanoseconds = readAtNanoseconds
  }

  /// The environment to ask.
  var asked: PushEnvironment { isRepeated ? environment : environment.other }

  var again: TokenQuestion {
    var question = self
    question.isRepeated = true
    return question
  }

  /// Returns true if the refused token was read more than `Limits.question` ago. If the other environment has not been
  /// reached by then, it counts as having refused the push too.
  /// - Parameter now: the current time, in nanoseconds of the monotonic clock.
  func isOverdue(at now: Int64) -> Bool { .nanoseconds(now - readAtNanoseconds) > Limits.question }
}

/// The pending verification of one token's refusal. It is void if the device has another token or another environment
/// by the time of the resubmission. Decision 076.
struct TokenDoubt: Hashable, Sendable {
  let psid: String
  let question: TokenQuestion
}

extension PushRoute {
  func `in`(_ environment: PushEnvironment) -> PushRoute {
    PushRoute(app: app, network: network, environment: environment)
  }
}

extension PushEnvironment {
  var other: PushEnvironment { self == .production ? .sandbox : .production }
}

/// Decision table: what an answer means for the delivery, the device and the circuit breaker, given what is known about
/// the token.
///
/// ```
///   device's own environment             the other one, asked once
///   accepted ───────────────────────────────────────────────────────────► delivered
///   dead since t (410) ─────────────────────────────────────────────────► rejected; dropped if registered before t
///   dead, time unknown ─────────────────────────────────────────────────► rejected; quarantine
///   BadDeviceToken ─────────────────────► accepted ─────────────────────► delivered; environment learnt
///                                         refused, or cannot be asked ──► rejected; quarantine
///   key of the other environment (403) ─► accepted ─────────────────────► delivered; environment learnt
///                                         credential at fault there ────► deferred; the app is paused
///                                         refused, or cannot be asked ──► the device's own, asked once more:
///                                                  accepted ────────────► delivered
///                                                  BadDeviceToken ──────► rejected; quarantine
///                                                  the same again ──────► rejected; device unaffected
///   DeviceTokenNotForTopic ─────────────────────────────────────────────► rejected; quarantine
///   TopicDisallowed ────────────────────────────────────────────────────► rejected; device unaffected
/// ```
/// FCM has no environments: a token that it refuses leads to quarantine at once, a refused key pauses the app. All
/// other answers say nothing about the token.
struct TokenAssessment: Equatable {
  /// How the circuit breaker counts the answer.
  enum Weight: Equatable {
    case none
    case good
    /// A refusal that indicates an error in our configuration if most devices get it.
    case bad(reason: String)
  }

  /// The result of the delivery; nil while the refusal is being verified.
  var result: SubmissionResult?
  /// The network's error code of the refusal to verify, with the other environment first, then perhaps once more with
  /// the device's own; nil if there is nothing to verify.
  var doubted: String?
  /// The change to make to the device; nil if none.
  var finding: TokenFinding.Kind?
  var weight: Weight = .none

  /// Determines what an answer means for the device's token.
  /// - Parameters:
  ///   - question: the refusal that this answer verifies; nil for an ordinary answer.
  ///   - now: the current time, in nanoseconds of the monotonic clock.
  static func of(
    _ result: SubmissionResult, on network: PushNetwork, question: TokenQuestion?, now: Int64
  ) -> TokenAssessment {
    if let question, question.isRepeated { return settledAgain(result, on: network, now) }
    if let question { return settled(question, by: result, now) }
    switch result {
    case .rejected(topicDisallowed):
      return TokenAssessment(result: result, finding: .disallowed, weight: .bad(reason: topicDisallowed))
    case .accepted, .rejected, .deviceBusy, .retry: return TokenAssessment(result: result, weight: .good)
    case .credentialFault: return TokenAssessment(result: result)
    case .badToken(let reason, let since?): return dead(reason, since)
    case .badToken(let reason, nil):
      if isEnding(reason) { return TokenAssessment(result: result, finding: .refused(reason: reason)) }
      if reason == badDeviceToken, network == .apns { return TokenAssessment(doubted: reason) }
      return refused(reason)
    case .wrongEnvironment(let reason):
      return network == .apns
        ? TokenAssessment(doubted: reason) : TokenAssessment(result: .credentialFault(reason: reason))
    case .notProcessed, .unknown, .noCredential, .stale: return TokenAssessment(result: result)
    }
  }

  private static func settled(
    _ question: TokenQuestion, by result: SubmissionResult, _ now: Int64
  ) -> TokenAssessment {
    switch result {
    case .accepted:
      return TokenAssessment(result: .accepted, finding: .belongs(to: question.environment.other), weight: .good)
    case .badToken(let reason, let since?): return dead(reason, since)
    case .badToken(notForTopic, nil): return refused(notForTopic)
    case .credentialFault where question.refusal != badDeviceToken:
      // If neither environment accepts the credential, the credential is at fault.
      return TokenAssessment(result: .credentialFault(reason: question.refusal))
    case .badToken, .wrongEnvironment, .credentialFault, .noCredential, .rejected(topicDisallowed):
      return unhelped(question)
    case .rejected: return TokenAssessment(result: result, weight: .good)
    case .notProcessed where question.isOverdue(at: now), .stale where question.isOverdue(at: now):
      return unhelped(question)
    // These results say nothing about the token: verify again.
    case .retry, .deviceBusy, .notProcessed, .unknown, .stale: return TokenAssessment(result: result)
    }
  }

  /// Returns the assessment if the other environment did not accept the push either, or could not be reached in time. A
  /// refused token then counts as confirmed. A refused key says nothing about the token and may have been refused by
  /// mistake, so the device's own environment is asked once more.
  private static func unhelped(_ question: TokenQuestion) -> TokenAssessment {
    question.refusal == badDeviceToken ? refused(question.refusal) : TokenAssessment(doubted: question.refusal)
  }

  /// Returns the assessment after the device's own environment has answered for the second time.
  private static func settledAgain(_ result: SubmissionResult, on network: PushNetwork, _ now: Int64) -> TokenAssessment
  {
    switch result {
    case .badToken(badDeviceToken, nil): return refused(badDeviceToken)
    case .wrongEnvironment(let reason):
      return TokenAssessment(result: .rejected(reason: reason), finding: .disallowed, weight: .bad(reason: reason))
    default: return of(result, on: network, question: nil, now: now)
    }
  }

  /// Returns the assessment of a token that the network reports as dead since a time. Such an answer does not indicate
  /// an error in our configuration.
  private static func dead(_ reason: String, _ since: Timestamp) -> TokenAssessment {
    TokenAssessment(result: .badToken(reason: reason, since: since), finding: .dead(since: since))
  }

  private static func refused(_ reason: String) -> TokenAssessment {
    TokenAssessment(
      result: .badToken(reason: reason, since: nil), finding: .refused(reason: reason), weight: .bad(reason: reason))
  }

  private static let badDeviceToken = "BadDeviceToken"
  private static let notForTopic = "DeviceTokenNotForTopic"
  private static let topicDisallowed = "TopicDisallowed"
  /// Returns true if the error code means that the token has become invalid permanently, whatever our configuration.
  static func isEnding(_ reason: String) -> Bool { endings.contains(reason) }

  /// Error codes for a formerly valid token; they never indicate an error in our configuration. Apple usually adds the
  /// time at which the token became invalid, FCM never does.
  private static let endings: Set<String> = ["Unregistered", "ExpiredToken", "UNREGISTERED"]
}
