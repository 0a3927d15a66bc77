import Crypto
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

@Suite struct DeliveryDecisionTests {
  private static let now: Timestamp = 1_800_000_000_000_000

  private static func message(expiresIn seconds: Int64 = 86_400, onUnknown: UnknownPolicy = .resend) -> PushMessage {
    let json = Array(#"{"appId":"com.example.bank","audience":{"all":true},"alert":{"body":"x"}}"#.utf8)
    guard let request = try? MessageRequest(json: json) else { preconditionFailure("the request is in order") }
    return PushMessage(
      seqno: 7, headers: PushHeaders(appID: "com.example.bank", .alert, collapseID: String(7)),
      template: PayloadTemplate(request, seqno: 7, sendDate: "2026112100"),
      pushkeys: PushKeyring(present: SymmetricKey.random()), lane: .normal,
      expiresAtSeconds: now.seconds + seconds, onUnknown: onUnknown)
  }

  private static func verdict(
    _ result: SubmissionResult, attempts: Tries = 0, _ message: PushMessage = message(), jitter: Double = 0,
    isStopping: Bool = false
  ) -> DeliveryDecision {
    DeliveryDecision.of(
      result, attempts: attempts, message: message, now: now, jitter: jitter, pause: 100, isStopping: isStopping)
  }

  @Test func `what is settled is final`() {
    let table: [(SubmissionResult, DeliveryDecision)] = [
      (.accepted, .final(.accepted, reason: nil)),
      (.rejected(reason: "PayloadTooLarge"), .final(.rejected, reason: "PayloadTooLarge")),
      (.badToken(reason: "BadDeviceToken", since: nil), .final(.rejected, reason: "BadDeviceToken")),
      (.badToken(reason: "Unregistered", since: 1), .final(.rejected, reason: "Unregistered")),
    ]
    for (result, expected) in table { #expect(Self.verdict(result) == expected) }
  }

  @Test func `trouble is tried again after 1, 5 and 30 seconds, then after a quarter of an hour and more`() {
    let seconds: [Int64] = [1, 5, 30, 900, 1800, 3600, 7200, 14_400, 14_400]
    for result in [SubmissionResult.retry(reason: "InternalServerError", after: nil), .unknown(reason: "reset")] {
      for (attempts, delay) in seconds.enumerated() {
        let attempts = Int16(attempts)
        let isUnknown = result == .unknown(reason: "reset")
        let tries = Tries(attempts + 1, mayHaveArrived: isUnknown)
        let expected: DeliveryDecision =
          delay <= 30
          ? .again(afterMilliseconds: delay * 1000, attempts: tries, wasUnknown: isUnknown)
          : .deferred(
            dueAt: Self.now + .seconds(delay), attempts: tries,
            reason: isUnknown ? "reset" : "InternalServerError", wasUnknown: isUnknown)
        #expect(Self.verdict(result, attempts: Tries(attempts)) == expected)
      }
    }
  }

  @Test func `jitter spreads only the slow tries, over a tenth`() {
    let trouble = SubmissionResult.retry(reason: "ServiceUnavailable", after: nil)
    #expect(Self.verdict(trouble, attempts: 0, jitter: 1) == Self.verdict(trouble, attempts: 0, jitter: 0))
    #expect(
      Self.verdict(trouble, attempts: 3, jitter: 1)
        == .deferred(dueAt: Self.now + .seconds(990), attempts: 4, reason: "ServiceUnavailable"))
  }

  @Test func `a Retry-After counts when it is longer than our own wait, and is not believed for ever`() {
    let table: [(asked: Int, delay: Int64)] = [(0, 1), (1, 1), (2, 2), (30, 30)]
    for (asked, delay) in table {
      #expect(
        Self.verdict(.retry(reason: "ServiceUnavailable", after: asked))
          == .again(afterMilliseconds: delay * 1000, attempts: 1, wasUnknown: false))
    }
    #expect(
      Self.verdict(.retry(reason: "ServiceUnavailable", after: 31))
        == .deferred(dueAt: Self.now + .seconds(31), attempts: 1, reason: "ServiceUnavailable"))
    let far = Self.message(expiresIn: 40 * 86_400)
    #expect(
      Self.verdict(.retry(reason: "ServiceUnavailable", after: .max), far)
        == .deferred(dueAt: Self.now + .seconds(30 * 86_400), attempts: 1, reason: "ServiceUnavailable"))
  }

  @Test func `nothing is tried again at its expiry or after it`() {
    let trouble = SubmissionResult.retry(reason: "InternalServerError", after: nil)
    #expect(Self.verdict(trouble, Self.message(expiresIn: 1)) == .final(.expired, reason: "InternalServerError"))
    #expect(
      Self.verdict(trouble, Self.message(expiresIn: 2))
        == .again(afterMilliseconds: 1000, attempts: 1, wasUnknown: false))
    let last = Self.message(expiresIn: 900)
    #expect(Self.verdict(trouble, attempts: 3, last) == .final(.expired, reason: "InternalServerError"))
    #expect(
      Self.verdict(.credentialFault(reason: "Forbidden"), Self.message(expiresIn: 5))
        == .final(.expired, reason: "Forbidden"))
    #expect(
      Self.verdict(.deviceBusy(reason: "TooManyRequests", after: 4), Self.message(expiresIn: 4))
        == .final(.expired, reason: "TooManyRequests"))
  }

  @Test func `an unknown end is resent or left, as the message says`() {
    #expect(
      Self.verdict(.unknown(reason: "reset"))
        == .again(afterMilliseconds: 1000, attempts: Tries(1, mayHaveArrived: true), wasUnknown: true))
    #expect(
      Self.verdict(.unknown(reason: "reset"), Self.message(onUnknown: .skip))
        == .final(.skipped, reason: "unknown-not-resent"))
    // What certainly was not processed is sent whatever the message says about doubt.
    #expect(
      Self.verdict(.notProcessed, Self.message(onUnknown: .skip))
        == .again(afterMilliseconds: 100, attempts: 0, wasUnknown: false))
  }

  @Test func `what a network that is away gives back waits in the database where it is told to, until it expires`() {
    func verdict(_ result: SubmissionResult, expiresIn seconds: Int64 = 86_400, isStopping: Bool = false)
      -> DeliveryDecision
    {
      DeliveryDecision.of(
        result, attempts: 3, message: Self.message(expiresIn: seconds), now: Self.now, jitter: 0, pause: 100,
        deferral: .seconds(60), isStopping: isStopping)
    }
    func deferred(_ seconds: Int64) -> DeliveryDecision {
      .deferred(dueAt: Self.now + .seconds(seconds), attempts: 3, reason: "NotProcessed")
    }
    #expect(verdict(.notProcessed) == deferred(60))
    #expect(verdict(.notProcessed, expiresIn: 20) == deferred(20))
    #expect(verdict(.notProcessed, isStopping: true) == deferred(0))
    #expect(verdict(.stale) == .again(afterMilliseconds: 100, attempts: 3, wasUnknown: false))
  }

  @Test func `a busy device waits as long as its back-off says`() {
    #expect(
      Self.verdict(.deviceBusy(reason: "TooManyRequests", after: 2), attempts: 5)
        == .again(afterMilliseconds: 2000, attempts: 6, wasUnknown: false))
    #expect(
      Self.verdict(.deviceBusy(reason: "TooManyRequests", after: 600))
        == .deferred(dueAt: Self.now + .seconds(600), attempts: 1, reason: "TooManyRequests"))
  }

  @Test func `a credential's fault costs no attempt and holds the app back`() {
    let due = Self.now + .seconds(Limits.credentialFaultSeconds)
    #expect(
      Self.verdict(.credentialFault(reason: "Forbidden"), attempts: 2)
        == .paused(dueAt: due, attempts: 2, reason: "Forbidden"))
    #expect(
      Self.verdict(.noCredential(reason: "none"), attempts: 2)
        == .withoutCredential(dueAt: due, attempts: 2, reason: "none"))
  }

  @Test func `a node that ends keeps nothing in memory`() {
    let results: [SubmissionResult] = [
      .notProcessed, .stale, .unknown(reason: "reset"), .retry(reason: "Shutdown", after: nil),
      .deviceBusy(reason: "TooManyRequests", after: 2),
    ]
    for result in results {
      guard case .deferred = Self.verdict(result, isStopping: true) else {
        Issue.record("\(result) would wait in memory")
        continue
      }
    }
  }
}
