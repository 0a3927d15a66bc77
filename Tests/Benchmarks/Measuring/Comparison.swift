/// One case of a scenario: our figure against a peer's, pair by pair. Higher is better.
struct Comparison: Sendable {
  /// The case, for example `GET, 64 connections`.
  let label: String
  let unit: String
  let peer: String
  /// The ratio to reach; nil if the comparison is only informative.
  let target: Double?
  let pairs: [(ours: Double, peers: Double)]
  /// Additional figures for the record.
  var details: [(name: String, value: Double)] = []

  var value: Double { Median.of(pairs.map(\.ours)) }
  var peerValue: Double { Median.of(pairs.map(\.peers)) }
  /// The median of the ratios of neighbouring runs, which differs from the ratio of the medians.
  var ratio: Double { Median.of(pairs.map { $0.peers > 0 ? $0.ours / $0.peers : .infinity }) }
  var isMet: Bool { target.map { ratio >= $0 } ?? true }
}

/// A figure that must stay within a limit, independent of any peer.
struct Requirement: Sendable {
  enum Side: String, Sendable { case atLeast, atMost }

  let label: String
  let unit: String
  let value: Double
  let side: Side
  let limit: Double

  var isMet: Bool { side == .atLeast ? value >= limit : value <= limit }
}

enum Median {
  /// The middle value; the mean of the middle two for an even count; 0 for an empty array.
  static func of(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
