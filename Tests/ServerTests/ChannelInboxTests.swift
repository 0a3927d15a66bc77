import Domain
import TestSupport
import Testing

@testable import Server

/// What reaches the publisher of broadcast channels.
@Suite struct ChannelInboxTests {
  private static func results(_ count: Int) -> [PushResult] {
    (0..<count).map { PushResult(batch: BatchAddress(Int64($0), inbox: -1), target: 0, result: .accepted) }
  }

  @Test func `however often it is woken, there is room for the result of each update on its way`() throws {
    let inbox = try ChannelInbox(results: 2_500)
    for _ in 0..<100_000 { inbox.wake() }
    #expect(inbox.take(Self.results(2_500)))
    #expect(inbox.receive(atMost: .zero).map(\.batch.number) == Array(0..<2_500))
    #expect(inbox.take(Self.results(2_500)))
  }

  @Test func `it wakes again each time after it was taken`() throws {
    let inbox = try ChannelInbox(results: 1)
    for _ in 1...3 {
      inbox.wake()
      // It does not wait for a result.
      #expect(inbox.receive(atMost: .patience).isEmpty)
    }
    #expect(inbox.take(Self.results(1)))
    #expect(inbox.receive(atMost: .patience).count == 1)
  }
}
