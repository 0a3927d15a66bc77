import Testing
import Tracing

@Suite struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("ff", true), ("fe", false)])
  func `a traceparent is read, and of its flags only whether it is sampled`(flags: String, isSampled: Bool) throws {
    let context = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-\(flags)"))
    #expect(context.traceID == Self.trace)
    #expect(context.spanID == Self.span)
    #expect(context.isSampled == isSampled)
    #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
  }

  @Test func `leading zeros of ids are kept`() {
    let text = "00-00000000000000000000000000000001-0000000000000002-01"
    #expect(TraceContext(traceparent: text)?.traceparent == text)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-011",
    "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
    "01-\(trace)-\(span)-01", "ff-\(trace)-\(span)-01", "0-0\(trace)-\(span)-01", "00_\(trace)_\(span)_01",
    "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01", "00-\(trace)-\(span)-0A",
    "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "00-\(trace.dropLast())g-\(span)-01", "00-\(trace.dropLast())-\(span)0-01", "00-\(trace)-\(span)-0x",
    "00-\(trace.dropLast(2))é-\(span)-01", "00-\(trace)-\(span)-01\0",
  ])
  func `a malformed traceparent is no context`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test func `ids that are 0 make no context`() {
    #expect(TraceContext(traceHigh: 0, traceLow: 0, span: 1, isSampled: true) == nil)
    #expect(TraceContext(traceHigh: 0, traceLow: 1, span: 0, isSampled: true) == nil)
  }
}
