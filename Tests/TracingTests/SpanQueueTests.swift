import Testing
import Time
import Tracing

@Suite struct SpanQueueTests {
  private static let time = Timestamp(seconds: 5)

  private func context(_ span: UInt64, isSampled: Bool = true) throws -> TraceContext {
    try #require(TraceContext(traceHigh: 1, traceLow: 2, span: span, isSampled: isSampled))
  }

  private func span(_ number: UInt64) throws -> TraceSpan {
    TraceSpan(try context(number), parent: nil, name: "request", kind: .server, began: Self.time, ended: Self.time)
  }

  @Test func `a full queue drops the newest spans and counts them`() throws {
    let queue = SpanQueue(capacity: 2)
    #expect(try (1...4).map { queue.offer(try span($0)) } == [true, true, false, false])
    #expect(queue.dropped == 2)
    #expect(queue.take(atMost: 10).map(\.context.span) == [1, 2])
    #expect(queue.offer(try span(5)))
    #expect(queue.dropped == 2)
  }

  @Test func `spans are taken in the order in which they came, and once`() throws {
    let queue = SpanQueue(capacity: 3)
    for number in 1...3 { queue.offer(try span(UInt64(number))) }
    #expect(queue.take(atMost: 2).map(\.context.span) == [1, 2])
    #expect(queue.count == 1)
    #expect(queue.take(atMost: 2).map(\.context.span) == [3])
    #expect(queue.take(atMost: 2).isEmpty)
  }

  @Test func `a span begins below a sampled context only, with an id of its own`() throws {
    let queue = SpanQueue(capacity: 1)
    #expect(queue.begin(nil, at: Self.time) == nil)
    #expect(queue.begin(try context(7, isSampled: false), at: Self.time) == nil)
    let open = try #require(queue.begin(try context(7), at: Self.time))
    #expect(open.parent == 7 && open.context.span != 7 && open.context.span != 0)
    #expect(open.context.traceHigh == 1 && open.context.traceLow == 2 && open.context.isSampled)
    // A clock that was set back makes no span that ends before it began.
    #expect(open.ended("claim", .internal, at: Self.time - .seconds(1)).ended == Self.time)
  }

  @Test func `a context is stored and read again, and other bytes are none`() throws {
    for isSampled in [true, false] {
      let context = try #require(
        TraceContext(
          traceHigh: 0x0AF7_6519_16CD_43DD, traceLow: .max, span: 0x8000_0000_0000_0001, isSampled: isSampled))
      #expect(TraceContext(stored: context.stored) == context)
      #expect(context.stored.count == 25 && context.stored.first == 0x0A)
    }
    #expect(TraceContext(stored: []) == nil)
    #expect(TraceContext(stored: [UInt8](repeating: 0, count: 25)) == nil)
    #expect(TraceContext(stored: [UInt8](repeating: 1, count: 24)) == nil)
  }
}
