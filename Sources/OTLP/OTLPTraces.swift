internal import JSON
package import Tracing

/// Encodes spans as the body of `POST /v1/traces`: ids are hexadecimal, 64-bit numbers decimal strings, enumerations
/// numbers.
package enum OTLPTraces {
  private enum Codes {
    static let error = 2
    static let sampled = 0x1
    /// A flag that is set if `isRemote` is meaningful (SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE).
    static let isKnown = 0x100
    static let isRemote = 0x200

    static func kind(_ kind: TraceSpan.Kind) -> Int {
      switch kind {
      case .internal: 1
      case .server: 2
      case .client: 3
      }
    }
  }

  package static func body(_ spans: [TraceSpan], of resource: OTLPResource) -> [UInt8] {
    resource.body(("resourceSpans", "scopeSpans", "spans"), capacity: 768 * (spans.count + 1)) { writer in
      for span in spans { writer.object { write(span, &$0) } }
    }
  }

  private static func write(_ span: TraceSpan, _ writer: inout JSONWriter) {
    writer.member("traceId", span.context.traceID)
    writer.member("spanId", span.context.spanID)
    if let parent = span.parent { writer.member("parentSpanId", TraceContext.spanID(parent)) }
    var flags = Codes.sampled
    // Only for server spans it is known whether the parent is remote: that of a message's claims, pushes and webhooks
    // may belong to any node.
    if span.kind == .server { flags |= Codes.isKnown | (span.parent == nil ? 0 : Codes.isRemote) }
    writer.member("flags", flags)
    writer.member("name", span.name)
    writer.member("kind", Codes.kind(span.kind))
    writer.member("startTimeUnixNano", span.began.nanosecondsText)
    writer.member("endTimeUnixNano", span.ended.nanosecondsText)
    writer.list("attributes") { writer in
      for attribute in span.attributes {
        switch attribute.value {
        case .text(let text): writer.attribute(attribute.name, text)
        case .number(let number): writer.attribute(attribute.name, number)
        }
      }
    }
    if let fault = span.fault {
      writer.name("status")
      writer.object { writer in
        if !fault.isEmpty { writer.member("message", fault) }
        writer.member("code", Codes.error)
      }
    }
  }
}
