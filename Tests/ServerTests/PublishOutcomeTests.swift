import Domain
import Testing
import Time

@testable import Server
@testable import Store

/// What becomes of a channel's update after APNs has answered.
@Suite struct PublishOutcomeTests {
  private func outcome(_ result: SubmissionResult, failures: Int16 = 0) -> ChannelUpdates.Settled {
    PublishOutcome.of(
      result,
      ChannelUpdates.Taken(
        channel: 3, app: 1, appID: "a.b", environment: .production, apnsChannel: "AAAA", storage: .latest, version: 7,
        payload: [], priority: .immediate, expiresAt: .max, failures: failures))
  }

  @Test func `the next one may go a second after the answer`() {
    let taken = outcome(.accepted)
    #expect(taken.isAccepted && taken.isOver && taken.waitMilliseconds == 1_000 && taken.word == nil)
    #expect((taken.channel, taken.version) == (3, 7))
  }

  @Test func `what APNs will never take is over, with its word`() {
    for result in [
      SubmissionResult.rejected(reason: "ChannelNotRegistered"), .badToken(reason: "BadDeviceToken", since: nil),
    ] {
      let refused = outcome(result)
      #expect(refused.isOver && !refused.isAccepted && refused.word != nil)
    }
  }

  @Test func `what may still be taken waits, longer each time, and as long as Apple asks`() {
    let waits = (0...8).map { outcome(.unknown(reason: "lost"), failures: $0).waitMilliseconds }
    #expect(waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    #expect(outcome(.deviceBusy(reason: "TooManyRequests", after: 5)).waitMilliseconds == 5_000)
    #expect(!outcome(.deviceBusy(reason: "TooManyRequests", after: 5)).isOver)
    #expect(outcome(.notProcessed).waitMilliseconds < 1_000)
    #expect(outcome(.credentialFault(reason: "InvalidProviderToken")).waitMilliseconds == 60_000)
  }
}
