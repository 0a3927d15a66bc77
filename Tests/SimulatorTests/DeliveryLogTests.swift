import Testing

@testable import Simulator

@Suite struct `Delivery log` {
  private func add(
    _ log: inout DeliveryLog, token: Int, id: UInt64, isOwnID: Bool = true, collapse: String? = nil, badge: Int? = nil
  ) {
    let id = MessageID(high: 1, low: id)
    guard let collapse else {
      log.record(
        token: token, id: id, isOwnID: isOwnID, collapseID: nil, badge: nil, payload: { [1] }, atMicroseconds: 5)
      return
    }
    let bytes = Array(collapse.utf8)
    log.record(
      token: token, id: id, isOwnID: isOwnID, collapseID: bytes.span, badge: badge, payload: { [UInt8(token)] },
      atMicroseconds: 5)
  }

  @Test func `each token's deliveries come back in order`() {
    var log = DeliveryLog()
    add(&log, token: 3, id: 1, collapse: "a")
    add(&log, token: 0, id: 2)
    add(&log, token: 3, id: 3, collapse: "b")
    add(&log, token: 3, id: 4, collapse: "a")
    #expect(log.deliveries(of: 3).map(\.id.low) == [1, 3, 4])
    #expect(log.deliveries(of: 3).map { $0.collapseID ?? [] } == [Array("a".utf8), Array("b".utf8), Array("a".utf8)])
    #expect(log.deliveries(of: 0).map(\.collapseID) == [nil])
    #expect(log.deliveries(of: 1).isEmpty)
    #expect(log.deliveries(of: 99).isEmpty)
    #expect(log.count == 4)
    #expect(log.reachedTokens == 2)
  }

  @Test func `a repeated id of one token is a duplicate, of another it is not`() {
    var log = DeliveryLog()
    add(&log, token: 1, id: 1)
    add(&log, token: 2, id: 1)
    #expect(log.duplicates == 0)
    add(&log, token: 1, id: 2)
    add(&log, token: 1, id: 1)
    #expect(log.duplicates == 1)
    add(&log, token: 1, id: 1, isOwnID: false)
    #expect(log.duplicates == 1)
  }

  @Test func `payloads are kept when asked`() {
    var log = DeliveryLog(keepsPayloads: true)
    add(&log, token: 7, id: 1, collapse: "x")
    #expect(log.deliveries(of: 7).first?.payload == [7])
    var lean = DeliveryLog()
    add(&lean, token: 7, id: 1)
    #expect(lean.deliveries(of: 7).first?.payload == nil)
  }

  @Test func `it goes on over many blocks`() {
    var log = DeliveryLog(blockSize: 1000)
    let count = 2010
    for number in 0..<count { add(&log, token: number % 100, id: UInt64(number)) }
    #expect(log.count == count)
    #expect(log.reachedTokens == 100)
    #expect(log.duplicates == 0)
    let expected = stride(from: 99, to: count, by: 100).map { UInt64($0) }
    #expect(log.deliveries(of: 99).map(\.id.low) == expected)
  }

  @Test func `the oldest are forgotten beyond the capacity, while totals go on`() {
    var log = DeliveryLog(capacity: 64, blockSize: 64)
    for number in 0..<64 * 3 + 5 { add(&log, token: number % 10, id: UInt64(number)) }
    #expect(log.firstKept == 128)
    #expect(log.count == 197)
    #expect(log.delivery(log.firstKept).id.low == 128)
    #expect(log.deliveries(of: 3).map(\.id.low) == [133, 143, 153, 163, 173, 183, 193])
    #expect(log.duplicates == 0)
  }

  @Test func `a device shows the newest of each collapse-id`() {
    var log = DeliveryLog()
    add(&log, token: 1, id: 1, collapse: "a", badge: 1)
    add(&log, token: 1, id: 2)
    add(&log, token: 1, id: 3, collapse: "b")
    add(&log, token: 1, id: 4, collapse: "a", badge: 1000)
    add(&log, token: 2, id: 5, collapse: "b")
    #expect(log.shown(on: 1).map(\.id.low) == [2, 3, 4])
    #expect(log.shown(on: 1).map(\.badge) == [nil, nil, 1000])
    #expect(log.shown(on: 9).isEmpty)
  }

  @Test func `every delivery with an id is found, of whichever token`() {
    var log = DeliveryLog()
    add(&log, token: 1, id: 7)
    add(&log, token: 1, id: 8)
    add(&log, token: 2, id: 7)
    add(&log, token: 1, id: 7)
    #expect(log.deliveries(with: MessageID(high: 1, low: 7)).map(\.token) == [1, 2, 1])
    #expect(log.deliveries(with: MessageID(high: 2, low: 7)).isEmpty)
  }
}
