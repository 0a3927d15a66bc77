package import Domain
internal import JSON
package import Metrics

/// State of the node that answers, read from its memory without the database.
package struct NodeState: Sendable {
  /// Sentences that state what prevents pushes from being sent; empty if nothing does.
  package let complaints: [Sentence]
  package let samples: [Metrics.Sample]

  package init(complaints: [Sentence], samples: [Metrics.Sample]) {
    self.complaints = complaints
    self.samples = samples
  }
}

/// A metric's value with its labels, as the server page shows it. A histogram becomes up to four of these: its count,
/// and the quantiles 0.5, 0.95 and 0.99.
struct ShownSample {
  let name: String
  let labels: Labels
  let value: Double

  /// Returns the shown values of all samples, in their order. Omits numbers that are not finite, and the quantiles of
  /// histograms without values.
  static func all(of samples: [Metrics.Sample]) -> [ShownSample] {
    samples.flatMap { sample in sample.points.flatMap { point in shown(sample.name, point.labels, point.value) } }
  }

  private static func shown(_ name: String, _ labels: Labels, _ value: Metrics.Value) -> [ShownSample] {
    switch value {
    case .whole(let number): return [ShownSample(name: name, labels: labels, value: Double(number))]
    case .number(let number):
      return number.isFinite ? [ShownSample(name: name, labels: labels, value: number)] : []
    case .histogram(let sum):
      var shown = [ShownSample(name: name + "_count", labels: labels, value: Double(sum.count))]
      for (suffix, share) in [("_p50", 0.5), ("_p95", 0.95), ("_p99", 0.99)] {
        guard let bound = quantile(share, of: sum) else { continue }
        shown.append(ShownSample(name: name + suffix, labels: labels, value: bound))
      }
      return shown
    }
  }

  /// Returns the upper bound of the bucket that contains the quantile; the highest bound if the quantile is above all
  /// buckets; nil if the histogram has no values.
  /// - Parameter share: the quantile, from 0 to 1.
  private static func quantile(_ share: Double, of sum: Histogram.Sum) -> Double? {
    guard sum.count > 0 else { return nil }
    var below: Int64 = 0
    for (bound, count) in zip(sum.bounds, sum.counts) {
      below += count
      if Double(below) >= share * Double(sum.count) { return bound }
    }
    return sum.bounds.last
  }

  static let object = JSONObject<ShownSample>(
    "ServerSample", isNamed: false,
    [
      .always(
        "name", .anyText, \.name, "As `/metrics` names it; histograms end in `_count`, `_p50`, `_p95` and `_p99`."),
      .always("labels", .raw(labelSchema), { $0.labels.json }),
      .always("value", .raw(.object([("type", "number")])), { Array(String($0.value).utf8) }),
    ])

  private static let labelSchema = JSONTree.object([
    ("type", "object"), ("additionalProperties", JSONSchema.anyText),
  ])
}

extension Labels {
  fileprivate var json: [UInt8] {
    JSONTree.object(pairs.map { ($0.name, .text($0.value)) }).bytes
  }
}
