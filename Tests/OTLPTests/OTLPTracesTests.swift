import Foundation
import OTLP
import Testing
import Time
import Tracing

/// The bytes that a collector receives for spans.
@Suite struct OTLPTracesTests {
  private let resource = OTLPResource(name: "upmc", version: "1.2", instance: "node-7", host: "push1")

  /// The same JSON, whatever the order of its members.
  private func matches(_ body: [UInt8], _ spans: String) throws -> Bool {
    let expected = """
      {"resourceSpans":[{"resource":{"attributes":[
        {"key":"service.name","value":{"stringValue":"upmc"}},
        {"key":"service.version","value":{"stringValue":"1.2"}},
        {"key":"service.instance.id","value":{"stringValue":"node-7"}},
        {"key":"host.name","value":{"stringValue":"push1"}}]},
       "scopeSpans":[{"scope":{"name":"upmc","version":"1.2"},"spans":[\(spans)]}]}]}
      """
    let got = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
    return got == (try #require(try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary))
  }

  @Test func `ids are hexadecimal, 64-bit numbers are strings, and enumerations are numbers`() throws {
    let context = try #require(TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-00000000000000a1-01"))
    let body = OTLPTraces.body(
      [
        TraceSpan(
          context, parent: 0xB7, name: "POST \"x\"", kind: .server,
          began: Timestamp(microseconds: 1_700_000_000_000_001), ended: Timestamp(microseconds: 1_700_000_000_000_009),
          attributes: [("http.request.method", .text("POST")), ("http.response.status_code", .number(503))],
          fault: "no database")
      ], of: resource)
    #expect(
      try matches(
        body,
        #"""
        {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a1","parentSpanId":"00000000000000b7",
         "flags":769,"name":"POST \"x\"","kind":2,"startTimeUnixNano":"1700000000000001000",
         "endTimeUnixNano":"1700000000000009000","attributes":[
          {"key":"http.request.method","value":{"stringValue":"POST"}},
          {"key":"http.response.status_code","value":{"intValue":"503"}}],
         "status":{"code":2,"message":"no database"}}
        """#), "\(String(decoding: body, as: UTF8.self))")
  }

  @Test func `a first span names no parent, one without a fault no status, and a fault may have no words`() throws {
    let context = try #require(TraceContext(traceHigh: 0, traceLow: 1, span: 2, isSampled: true))
    let kinds: [(TraceSpan.Kind, Int, String?)] = [(.internal, 1, nil), (.server, 2, nil), (.client, 3, "")]
    for (kind, number, fault) in kinds {
      let body = OTLPTraces.body(
        [
          TraceSpan(
            context, parent: nil, name: "push", kind: kind, began: Timestamp(microseconds: 1),
            ended: Timestamp(microseconds: 2), fault: fault)
        ], of: resource)
      #expect(
        try matches(
          body,
          """
          {"traceId":"00000000000000000000000000000001","spanId":"0000000000000002","flags":\(kind == .server ? 257 : 1),"name":"push",
           "kind":\(number),"startTimeUnixNano":"1000","endTimeUnixNano":"2000","attributes":[]
           \(fault == nil ? "" : #","status":{"code":2}"#)}
          """), "\(String(decoding: body, as: UTF8.self))")
    }
  }
}
