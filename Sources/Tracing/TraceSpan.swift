package import Time

/// A finished span.
package struct TraceSpan: Sendable {
  package enum Kind: Sendable {
    /// The span is work within this process (INTERNAL).
    case `internal`
    /// The span handles a received request (SERVER).
    case server
    /// The span calls another server (CLIENT).
    case client
  }

  package enum Value: Sendable, Equatable {
    case text(String)
    case number(Int64)
  }

  package typealias Attribute = (name: String, value: Value)

  /// The trace and the span's own id.
  package let context: TraceContext
  /// The parent span's id; nil for the first span of a trace.
  package let parent: UInt64?
  package let name: String
  package let kind: Kind
  /// The start of the span.
  package let began: Timestamp
  /// The end of the span; never before `began`.
  package let ended: Timestamp
  package let attributes: [Attribute]
  /// The error description; nil if the span succeeded.
  package let fault: String?

  package init(
    _ context: TraceContext, parent: UInt64?, name: String, kind: Kind, began: Timestamp, ended: Timestamp,
    attributes: [Attribute] = [], fault: String? = nil
  ) {
    (self.context, self.parent, self.name, self.kind) = (context, parent, name, kind)
    (self.began, self.ended) = (began, max(began, ended))
    (self.attributes, self.fault) = (attributes, fault)
  }
}

/// A span in progress. Its context is the parent of the spans that its work opens.
package struct OpenSpan: Sendable {
  package let context: TraceContext
  package let parent: UInt64
  /// The start of the span.
  package let began: Timestamp

  package func ended(
    _ name: String, _ kind: TraceSpan.Kind, at now: Timestamp, _ attributes: [TraceSpan.Attribute] = [],
    fault: String? = nil
  ) -> TraceSpan {
    TraceSpan(
      context, parent: parent, name: name, kind: kind, began: began, ended: now, attributes: attributes, fault: fault)
  }
}
