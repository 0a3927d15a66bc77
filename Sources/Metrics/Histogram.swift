internal import Synchronization

/// A distribution of values, as a count per bucket. Written by one thread, read by any.
package final class Histogram: Sendable {
  /// The buckets and the unit of the recorded values.
  package enum Scale: Sendable {
    /// Latencies from half a millisecond to ten seconds. Recorded in nanoseconds, displayed in seconds.
    case latency
    /// Waiting times of up to several hours. Recorded in nanoseconds, displayed in seconds.
    case waiting
    /// The sizes of batches. Recorded and displayed as they are.
    case batch

    /// The upper bounds of the buckets, in recorded units; at most 15.
    var bounds: [Int64] {
      switch self {
      case .latency: Self.latencyBounds
      case .waiting: Self.waitingBounds
      case .batch: Self.batchBounds
      }
    }

    /// The number of recorded units in a displayed unit.
    var unit: Double { self == .batch ? 1 : 1e9 }

    private static let latencyBounds: [Int64] = [
      500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
      500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]
    private static let waitingBounds: [Int64] = [
      10_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 5_000_000_000, 15_000_000_000,
      60_000_000_000, 300_000_000_000, 900_000_000_000, 3_600_000_000_000, 14_400_000_000_000,
    ]
    private static let batchBounds: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
  }

  private let scale: Scale
  private let bounds: [Int64]
  /// The counts, one per bucket; the last bucket counts values above all bounds.
  private let counts: InlineArray<16, Atomic<Int64>>
  private let recorded = Atomic<Int64>(0)

  init(_ scale: Scale) {
    self.scale = scale
    bounds = scale.bounds
    counts = InlineArray { _ in Atomic(0) }
  }

  /// Records a value. Only for the thread that owns this cell.
  /// - Parameter times: number of observations with this value.
  package func record(_ value: Int64, times: Int = 1) {
    var range = 0
    while range < bounds.count, value > bounds[range] { range += 1 }
    counts[range].store(counts[range].load(ordering: .relaxed) &+ Int64(times), ordering: .relaxed)
    recorded.store(recorded.load(ordering: .relaxed) &+ value &* Int64(times), ordering: .relaxed)
  }

  /// The sum of the cells of a series.
  package struct Sum: Sendable {
    let scale: Scale
    /// The counts, one per bucket; the last bucket counts values above all bounds.
    package var counts: [Int64]
    var recorded: Int64

    package var count: Int64 { counts.reduce(0, &+) }
    /// The sum of all values in displayed units, as are the bounds.
    package var total: Double { Double(recorded) / scale.unit }
    /// The upper bounds of all buckets but the last, in displayed units.
    package var bounds: [Double] { scale.bounds.map { Double($0) / scale.unit } }

    /// The number of values up to each bound; a nil bound means infinity.
    var cumulative: [(bound: Double?, count: Int64)] {
      var below: Int64 = 0
      var lines: [(bound: Double?, count: Int64)] = []
      for (bound, count) in zip(scale.bounds, counts) {
        below &+= count
        lines.append((Double(bound) / scale.unit, below))
      }
      lines.append((nil, count))
      return lines
    }
  }

  func sum(with other: Sum?) -> Sum {
    var sum = other ?? Sum(scale: scale, counts: [Int64](repeating: 0, count: bounds.count + 1), recorded: 0)
    for range in sum.counts.indices { sum.counts[range] &+= counts[range].load(ordering: .relaxed) }
    sum.recorded &+= recorded.load(ordering: .relaxed)
    return sum
  }
}
