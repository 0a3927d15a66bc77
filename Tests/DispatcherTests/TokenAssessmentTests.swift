import Domain
import TestSupport
import Testing
import Time

@testable import Dispatcher

/// The table of token hygiene, line by line.
@Suite struct TokenAssessmentTests {
  private static let bad = "BadDeviceToken"
  private static let key = "BadEnvironmentKeyIdInToken"
  private static let now: Int64 = 1_000_000_000_000

  private func settle(_ result: SubmissionResult, _ network: PushNetwork = .apns) -> TokenAssessment {
    TokenAssessment.of(result, on: network, question: nil, now: 0)
  }

  private func settle(
    _ result: SubmissionResult, asked refusal: String, again: Bool = false, secondsAgo: Int64 = 0
  ) -> TokenAssessment {
    var question = TokenQuestion(
      environment: .production, refusal: refusal, readAtNanoseconds: Self.now - secondsAgo * 1_000_000_000)
    if again { question = question.again }
    return TokenAssessment.of(result, on: .apns, question: question, now: Self.now)
  }

  @Test func `a token that is bad here may be good in the other environment`() {
    #expect(settle(.badToken(reason: Self.bad, since: nil)) == TokenAssessment(doubted: Self.bad))
    #expect(settle(.wrongEnvironment(reason: Self.key)) == TokenAssessment(doubted: Self.key))
  }

  @Test func `accepted there is a lesson, and nothing against our settings`() {
    for refusal in [Self.bad, Self.key] {
      #expect(
        settle(.accepted, asked: refusal)
          == TokenAssessment(result: .accepted, finding: .belongs(to: .sandbox), weight: .good))
    }
    let other = TokenAssessment.of(
      .accepted, on: .apns, question: TokenQuestion(environment: .sandbox, refusal: Self.bad, readAtNanoseconds: 0),
      now: 0)
    #expect(other.finding == .belongs(to: .production))
  }

  @Test func `refused there too, or impossible to ask there, the first refusal stands`() {
    let answers: [SubmissionResult] = [
      .badToken(reason: Self.bad, since: nil), .wrongEnvironment(reason: Self.key), .noCredential(reason: "none"),
      .credentialFault(reason: "InvalidProviderToken"),
    ]
    for answer in answers {
      #expect(
        settle(answer, asked: Self.bad)
          == TokenAssessment(
            result: .badToken(reason: Self.bad, since: nil), finding: .refused(reason: Self.bad),
            weight: .bad(reason: Self.bad)), "\(answer)")
    }
  }

  @Test func `a refused key says nothing about the token, so the own environment is asked once more`() {
    let answers: [SubmissionResult] = [
      .badToken(reason: Self.bad, since: nil), .wrongEnvironment(reason: Self.key), .noCredential(reason: "none"),
      .rejected(reason: "TopicDisallowed"),
    ]
    for answer in answers {
      #expect(settle(answer, asked: Self.key) == TokenAssessment(doubted: Self.key), "\(answer)")
    }
    let overdue = settle(.notProcessed, asked: Self.key, secondsAgo: Limits.question.components.seconds + 1)
    #expect(overdue == TokenAssessment(doubted: Self.key))
  }

  @Test func `what the own environment says the second time counts, and a refused key never puts a device aside`() {
    #expect(settle(.accepted, asked: Self.key, again: true) == TokenAssessment(result: .accepted, weight: .good))
    #expect(
      settle(.wrongEnvironment(reason: Self.key), asked: Self.key, again: true)
        == TokenAssessment(result: .rejected(reason: Self.key), finding: .disallowed, weight: .bad(reason: Self.key)))
    #expect(
      settle(.badToken(reason: Self.bad, since: nil), asked: Self.key, again: true).finding
        == .refused(reason: Self.bad))
    let fault = SubmissionResult.credentialFault(reason: "Forbidden")
    #expect(settle(fault, asked: Self.key, again: true) == TokenAssessment(result: fault))
    #expect(settle(.stale, asked: Self.key, again: true, secondsAgo: 3600) == TokenAssessment(result: .stale))
  }

  @Test func `a credential that neither environment takes is a credential's fault`() {
    #expect(
      settle(.credentialFault(reason: "Forbidden"), asked: Self.key)
        == TokenAssessment(result: .credentialFault(reason: Self.key)))
  }

  @Test func `what the other environment knows better is taken from it`() {
    #expect(
      settle(.badToken(reason: "DeviceTokenNotForTopic", since: nil), asked: Self.bad)
        == TokenAssessment(
          result: .badToken(reason: "DeviceTokenNotForTopic", since: nil),
          finding: .refused(reason: "DeviceTokenNotForTopic"), weight: .bad(reason: "DeviceTokenNotForTopic")))
    #expect(
      settle(.badToken(reason: "Unregistered", since: Timestamp(milliseconds: 5)), asked: Self.bad)
        == TokenAssessment(
          result: .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 5)),
          finding: .dead(since: Timestamp(milliseconds: 5))))
  }

  @Test func `as long as the other environment has trouble, the question stays`() {
    let answers: [SubmissionResult] = [
      .retry(reason: "InternalServerError", after: nil), .deviceBusy(reason: "TooManyRequests", after: nil),
      .notProcessed, .unknown(reason: "reset"), .stale,
    ]
    for answer in answers { #expect(settle(answer, asked: Self.bad) == TokenAssessment(result: answer), "\(answer)") }
  }

  @Test func `a host that cannot be reached is waited for only so long`() {
    let limit = Limits.question.components.seconds
    for answer in [SubmissionResult.notProcessed, .stale] {
      #expect(settle(answer, asked: Self.bad, secondsAgo: limit) == TokenAssessment(result: answer))
      #expect(settle(answer, asked: Self.bad, secondsAgo: limit + 1).finding == .refused(reason: Self.bad))
    }
    // One that answers is asked again, by the schedule.
    let trouble = SubmissionResult.retry(reason: "InternalServerError", after: nil)
    #expect(settle(trouble, asked: Self.bad, secondsAgo: limit + 1) == TokenAssessment(result: trouble))
  }

  @Test(arguments: ["Unregistered", "ExpiredToken"])
  func `a 410 never counts against our settings, and without a time it only puts aside`(_ reason: String) {
    let timed = settle(.badToken(reason: reason, since: Timestamp(milliseconds: 1_700_000_000_123)))
    #expect(timed.finding == .dead(since: Timestamp(milliseconds: 1_700_000_000_123)) && timed.weight == .none)
    let untimed = settle(.badToken(reason: reason, since: nil))
    #expect(untimed.finding == .refused(reason: reason) && untimed.weight == .none)
  }

  @Test func `times that no calendar has do no harm`() {
    #expect(settle(.badToken(reason: "Unregistered", since: .max)).finding == .dead(since: .max))
    #expect(settle(.badToken(reason: "Unregistered", since: .min)).finding == .dead(since: .min))
  }

  @Test func `what the breaker counts, and what it does not`() {
    let table: [(SubmissionResult, TokenAssessment.Weight)] = [
      (.accepted, .good), (.rejected(reason: "PayloadTooLarge"), .good),
      (.retry(reason: "InternalServerError", after: nil), .good),
      (.rejected(reason: "TopicDisallowed"), .bad(reason: "TopicDisallowed")),
      (.badToken(reason: "DeviceTokenNotForTopic", since: nil), .bad(reason: "DeviceTokenNotForTopic")),
      (.deviceBusy(reason: "TooManyRequests", after: nil), .good), (.notProcessed, .none),
      (.unknown(reason: "reset"), .none), (.stale, .none), (.credentialFault(reason: "Forbidden"), .none),
      (.noCredential(reason: "none"), .none),
    ]
    for (result, weight) in table { #expect(settle(result).weight == weight, "\(result)") }
  }

  @Test func `a refused topic is held against our settings, not against the device`() {
    let settled = settle(.rejected(reason: "TopicDisallowed"))
    #expect(settled.result == .rejected(reason: "TopicDisallowed") && settled.finding == .disallowed)
    // Asked about a doubt, it says nothing of the token.
    #expect(settle(.rejected(reason: "TopicDisallowed"), asked: Self.bad).finding == .refused(reason: Self.bad))
  }

  @Test func `a network without environments is asked no second time`() {
    let settled = settle(.badToken(reason: "INVALID_ARGUMENT", since: nil), .fcm)
    #expect(settled.doubted == nil && settled.finding == .refused(reason: "INVALID_ARGUMENT"))
    #expect(settle(.badToken(reason: Self.bad, since: nil), .fcm).doubted == nil)
  }
}
