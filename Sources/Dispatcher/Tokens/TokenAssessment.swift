internal import Domain

/// A refusal that is verified before it is believed: a sandbox token is a bad token in production, and vice versa.
struct TokenQuestion: Hashable, Sendable {
  /// The environment that refused.
  let environment: PushEnvironment
  /// In the network's own word.
  let refusal: String
  /// When the refused binding was read, in nanoseconds of the monotonic clock. The same for all targets of a batch, so
  /// that they are asked about together.
  let readAtNanoseconds: Int64
  /// The other environment did not help, and the credential's key was refused, not the token: the one that refused is
  /// asked once more.
  private(set) var isRepeated = false

  init(environment: PushEnvironment, refusal: String, readAtNanoseconds: Int64) {
    self.environment = environment
    self.refusal = refusal
    self.readAtNanoseconds = readAtNanoseconds
  }

  /// The environment whose host is asked.
  var asked: PushEnvironment { isRepeated ? environment : environment.other }

  var again: TokenQuestion {
    var question = self
    question.isRepeated = true
    return question
  }

  /// True if the other environment has been unreachable for so long that the refusal stands without its answer.
  /// - Parameter now: on the monotonic clock, in nanoseconds.
  func isOverdue(at now: Int64) -> Bool { .nanoseconds(now - readAtNanoseconds) > Limits.question }
}

/// A question about one token; once the device has another, it is no longer in doubt. Decision 076.
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

/// What an answer means, given everything known about the token. Pure: the decision table of token hygiene.
///
/// ```
///   device's own environment             the other one, asked once
///   accepted ───────────────────────────────────────────────────────────► delivered
///   dead since t (410) ─────────────────────────────────────────────────► rejected; dropped if registered before t
///   BadDeviceToken ─────────────────────► accepted ─────────────────────► delivered; environment learnt
///                                         refused, or cannot be asked ──► rejected; quarantine
///   key of the other environment (403) ─► accepted ─────────────────────► delivered; environment learnt
///                                         refused, or cannot be asked ──► the device's own, asked once more:
///                                                  accepted ────────────► delivered
///                                                  BadDeviceToken ──────► rejected; quarantine
///                                                  the same again ──────► rejected; device unaffected
///   DeviceTokenNotForTopic ─────────────────────────────────────────────► rejected; quarantine
///   TopicDisallowed ────────────────────────────────────────────────────► rejected; device unaffected
/// ```
struct TokenAssessment: Equatable {
  /// How the circuit breaker counts the answer for its route, if at all.
  enum Weight: Equatable {
    case none
    case good
    /// Refused for a reason that, if most devices meet it, means a configuration fault of ours.
    case bad(reason: String)
  }

  /// Nil while an environment is being asked.
  var result: SubmissionResult?
  /// The refusal to ask about: the other environment first, then perhaps the device's own once more.
  var doubted: String?
  /// What to do with the device.
  var finding: TokenFinding.Kind?
  var weight: Weight = .none

  /// - Parameters:
  ///   - question: set if the answer is to a question about a refusal.
  ///   - now: on the monotonic clock, in nanoseconds.
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
      // Neither environment takes the credential, so the credential is at fault.
      return TokenAssessment(result: .credentialFault(reason: question.refusal))
    case .badToken, .wrongEnvironment, .credentialFault, .noCredential, .rejected(topicDisallowed):
      return unhelped(question)
    case .rejected: return TokenAssessment(result: result, weight: .good)
    case .notProcessed where question.isOverdue(at: now), .stale where question.isOverdue(at: now):
      return unhelped(question)
    // No answer about the token yet: ask again, still in doubt.
    case .retry, .deviceBusy, .notProcessed, .unknown, .stale: return TokenAssessment(result: result)
    }
  }

  /// The other environment did not help. A refused token stays refused; a refused key said nothing about the token and
  /// may have been refused by mistake.
  private static func unhelped(_ question: TokenQuestion) -> TokenAssessment {
    question.refusal == badDeviceToken ? refused(question.refusal) : TokenAssessment(doubted: question.refusal)
  }

  /// The device's own environment has answered a second time.
  private static func settledAgain(_ result: SubmissionResult, on network: PushNetwork, _ now: Int64) -> TokenAssessment
  {
    switch result {
    case .badToken(badDeviceToken, nil): return refused(badDeviceToken)
    case .wrongEnvironment(let reason):
      return TokenAssessment(result: .rejected(reason: reason), finding: .disallowed, weight: .bad(reason: reason))
    default: return of(result, on: network, question: nil, now: now)
    }
  }

  /// The network has known the token to be dead since a certain time. This says nothing against our configuration.
  private static func dead(_ reason: String, _ milliseconds: Int64) -> TokenAssessment {
    TokenAssessment(
      result: .badToken(reason: reason, since: milliseconds), finding: .dead(since: milliseconds.asMicroseconds))
  }

  private static func refused(_ reason: String) -> TokenAssessment {
    TokenAssessment(
      result: .badToken(reason: reason, since: nil), finding: .refused(reason: reason), weight: .bad(reason: reason))
  }

  private static let badDeviceToken = "BadDeviceToken"
  private static let notForTopic = "DeviceTokenNotForTopic"
  private static let topicDisallowed = "TopicDisallowed"
  /// True if the network's word means that the token is gone for good, whatever our configuration.
  static func isEnding(_ reason: String) -> Bool { endings.contains(reason) }

  /// Words for a token that was once valid; they never count against our configuration. Apple's usually come with a
  /// time, FCM's never do.
  private static let endings: Set<String> = ["Unregistered", "ExpiredToken", "UNREGISTERED"]
}

extension Int64 {
  /// Milliseconds as microseconds, clamped on overflow.
  fileprivate var asMicroseconds: Int64 {
    let (value, overflow) = multipliedReportingOverflow(by: 1000)
    return overflow ? (self < 0 ? .min : .max) : value
  }
}
