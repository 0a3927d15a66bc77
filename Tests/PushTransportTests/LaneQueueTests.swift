import Crypto
import Domain
import Reactor
import Simulator
import Testing

@testable import PushTransport

/// Batches without a sender.
private struct Batches {
  private var number: Int64 = 0
  private var messages: [Int64: PushMessage] = [:]

  mutating func make(_ seqno: Int64, _ count: Int, readAt: Int64 = 0) -> QueuedBatch {
    number += 1
    let message = messages[seqno] ?? Self.message(seqno)
    messages[seqno] = message
    let route = PushRoute(app: 1, network: .apns, environment: .production)
    let targets = (0..<count).map { index in
      PushTarget(
        device: DeviceID(high: UInt64(index), low: 1), userKey: UserKey(clientUID: "u"), psid: "ab", badge: 0,
        clientName: "")
    }
    let batch = PushBatch(
      BatchAddress(number), message: message, route: route, targets: targets, readAtNanoseconds: readAt)
    return QueuedBatch(batch, RouteCondition(route))
  }

  private static func message(_ seqno: Int64) -> PushMessage {
    let request = try! MessageRequest(json: Array(#"{"appId":"a.b","audience":{"all":true},"alert":"x"}"#.utf8))
    return PushMessage(
      seqno: Seqno(seqno), headers: PushHeaders(appID: "a.b", .alert, collapseID: String(seqno)),
      template: PayloadTemplate(request, seqno: Seqno(seqno), sendDate: "2026010100"),
      pushkeys: PushKeyring(present: SymmetricKey.random()), lane: .bulk,
      expiresAtSeconds: 1_000_000, onUnknown: .resend)
  }
}

@Suite struct LaneQueueTests {
  private var batches = Batches()
  private let turn = PushTransport.Limits.turnTargets

  /// Takes `count` and says of which messages they were.
  private func take(_ count: Int, from queue: inout LaneQueue) -> [Int64] {
    (0..<count).compactMap { _ in queue.next()?.batch.message.seqno.number }
  }

  @Test mutating func `a small campaign behind a huge one is sent beside it`() {
    var queue = LaneQueue()
    for _ in 0..<10 { queue.append(batches.make(1, 2000)) }
    queue.append(batches.make(2, 100))
    let first = take(2 * turn, from: &queue)
    #expect(first == Array(repeating: 1, count: turn) + Array(repeating: 2, count: turn))
    // All of the small one is out after twice its size.
    #expect(take(200 - 2 * turn + turn, from: &queue).count { $0 == 2 } == 100 - turn)
    #expect(queue.count == 20_100 - 200 - turn)
  }

  @Test mutating func `what came back unprocessed goes first within its message`() {
    var queue = LaneQueue()
    let batch = batches.make(1, 5)
    queue.append(batch)
    let first = queue.next()!
    let second = queue.next()!
    queue.appendAgain(first)
    queue.appendAgain(second)
    queue.putBack(queue.next()!)
    #expect(queue.count == 5)
    #expect((0..<5).map { _ in queue.next()!.target } == [0, 1, 2, 3, 4])
    #expect(queue.next() == nil && queue.isEmpty)
  }

  @Test mutating func `a message that was through and comes again waits for its turn`() {
    var queue = LaneQueue()
    queue.append(batches.make(1, 1))
    queue.append(batches.make(2, 2))
    #expect(take(1, from: &queue) == [1])
    queue.append(batches.make(1, 1))
    #expect(take(3, from: &queue) == [2, 2, 1])
    #expect(queue.isEmpty)
  }

  @Test mutating func `stale targets come out, those that are fresh stay`() {
    var queue = LaneQueue()
    queue.append(batches.make(1, 3, readAt: 10))
    queue.append(batches.make(1, 2, readAt: 20))
    queue.append(batches.make(2, 4, readAt: 10))
    #expect(queue.oldestReadNanoseconds == 10)
    let stale = queue.removeStale { $0.readUntilNanoseconds >= 20 }
    #expect(stale.count == 7 && queue.count == 2)
    #expect(take(9, from: &queue) == [1, 1])
  }

  @Test mutating func `every target comes out exactly once, whatever the order of events`() {
    var random = SplitMix64(seed: 20_261_121)
    for _ in 0..<200 {
      var queue = LaneQueue()
      var expected = 0
      var taken: [Submission] = []
      for _ in 0..<60 {
        switch random.next() % 4 {
        case 0:
          let count = Int(random.next() % 70) + 1
          queue.append(batches.make(Int64(random.next() % 4), count))
          expected += count
        case 1 where !taken.isEmpty: queue.appendAgain(taken.removeLast())
        case 2 where !taken.isEmpty: queue.putBack(taken.removeLast())
        default:
          for _ in 0..<random.next() % 50 { if let submission = queue.next() { taken.append(submission) } }
        }
        #expect(queue.count + taken.count == expected)
      }
      while let submission = queue.next() { taken.append(submission) }
      let names = Set(taken.map { "\($0.batch.address.number) \($0.target)" })
      #expect(queue.isEmpty && taken.count == expected && names.count == expected)
    }
  }
}
