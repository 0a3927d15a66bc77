internal import JSON
package import Metrics
package import Time

/// Encodes metrics as the body of `POST /v1/metrics`: the names, labels and values of `/metrics`, counters and
/// histograms cumulative since the process began.
package enum OTLPMetrics {
  /// The interval that cumulative values cover, in nanoseconds since 1970 as OTLP requires.
  package struct Period: Sendable {
    let began: String
    let now: String

    package init(began: Timestamp, now: Timestamp) {
      self.began = began.nanosecondsText
      self.now = max(began, now).nanosecondsText
    }
  }

  /// OTLP's value AGGREGATION_TEMPORALITY_CUMULATIVE.
  private static let cumulative = 2

  package static func body(_ samples: [Metrics.Sample], _ period: Period, of resource: OTLPResource) -> [UInt8] {
    resource.body(("resourceMetrics", "scopeMetrics", "metrics"), capacity: 1_024 * (samples.count + 1)) { writer in
      // OTLP forbids a metric without data points.
      for sample in samples where !sample.points.isEmpty { writer.object { write(sample, period, &$0) } }
    }
  }

  /// Returns the number of data points that the samples have: one per series.
  package static func points(_ samples: [Metrics.Sample]) -> Int { samples.reduce(0) { $0 + $1.points.count } }

  private static func write(_ sample: Metrics.Sample, _ period: Period, _ writer: inout JSONWriter) {
    writer.member("name", sample.name)
    writer.member("description", sample.help)
    if let unit = unit(of: sample.name) { writer.member("unit", unit) }
    switch sample.kind {
    case .counter: writer.name("sum")
    case .gauge: writer.name("gauge")
    case .histogram: writer.name("histogram")
    }
    writer.object { writer in
      if sample.kind != .gauge { writer.member("aggregationTemporality", cumulative) }
      if sample.kind == .counter { writer.member("isMonotonic", true) }
      writer.list("dataPoints") { writer in
        for (labels, value) in sample.points {
          writer.object { writer in
            writer.list("attributes") { writer in
              for (name, value) in labels.pairs { writer.attribute(name, value) }
            }
            if sample.kind != .gauge { writer.member("startTimeUnixNano", period.began) }
            writer.member("timeUnixNano", period.now)
            write(value, &writer)
          }
        }
      }
    }
  }

  private static func write(_ value: Metrics.Value, _ writer: inout JSONWriter) {
    switch value {
    case .whole(let number): writer.member("asInt", String(number))
    case .number(let number): writer.member("asDouble", double: number)
    case .histogram(let sum):
      writer.member("count", String(sum.count))
      writer.member("sum", double: sum.total)
      writer.list("bucketCounts") { writer in for count in sum.counts { writer.value(String(count)) } }
      writer.list("explicitBounds") { writer in for bound in sum.bounds { writer.raw("\(bound)") } }
    }
  }

  /// Returns the UCUM unit for the suffix of a metric's name; nil for a plain number.
  private static func unit(of name: String) -> String? {
    let name = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
    if name.hasSuffix("_seconds") { return "s" }
    return name.hasSuffix("_bytes") ? "By" : nil
  }
}

extension Timestamp {
  /// Nanoseconds since 1970, as text: OTLP's form of a time in JSON.
  var nanosecondsText: String { "\(microseconds)000" }
}
