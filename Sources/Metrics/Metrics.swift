internal import Synchronization

/// The server's own metrics, for a monitoring system that scrapes every few seconds.
///
/// ```
///   thread a ──► its own cell ┐
///   thread b ──► its own cell ├── summed at a scrape ──► Prometheus text
///   thread c ──► its own cell ┘
/// ```
///
/// **Cheap to record.** Each thread registers its own cells when it starts and is the only one to write them: counting
/// is a load and a store without lock, fence or contention. Cells with the same name and labels form one series; a
/// scrape sums them. Values kept elsewhere (such as a queue length) are read at the scrape, too.
///
/// **Names** follow Prometheus: base units, counters end in `_total`. A name has one kind and one help text, set by its
/// first registration. `text()` is the text format, version 0.0.4.
///
/// **Failure**: recording cannot fail. A cell lives as long as this registry, even after its thread has ended.
package final class Metrics: Sendable {
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// A value read when metrics are scraped, with its labels.
  package typealias Reading = (Labels, Double)

  private enum Source: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
  }

  private struct Series {
    let labels: Labels
    var sources: [Source] = []
  }

  private struct Family {
    let kind: Kind
    let help: String
    /// The series in registration order; `key` is the text of their labels.
    var series: [(key: String, series: Series)] = []
    var readers: [@Sendable () -> [Reading]] = []
  }

  private let families = Mutex<[String: Family]>([:])

  package init() {}

  /// Registers a new counter cell for the calling thread.
  package func counter(_ name: String, _ help: String, _ labels: Labels = Labels()) -> Counter {
    let cell = Counter()
    add(.counter(cell), name, .counter, help, labels)
    return cell
  }

  /// Registers a new gauge cell for the calling thread. The cells of a series are summed.
  package func gauge(_ name: String, _ help: String, _ labels: Labels = Labels()) -> Gauge {
    let cell = Gauge()
    add(.gauge(cell), name, .gauge, help, labels)
    return cell
  }

  /// Registers a new histogram cell for the calling thread. All cells of a name must have the same scale.
  package func histogram(
    _ name: String, _ help: String, _ scale: Histogram.Scale, _ labels: Labels = Labels()
  ) -> Histogram {
    let cell = Histogram(scale)
    add(.histogram(cell), name, .histogram, help, labels)
    return cell
  }

  /// Registers a function that reads values at each scrape. It must not block.
  package func read(_ name: String, _ kind: Kind, _ help: String, _ read: @escaping @Sendable () -> [Reading]) {
    families.withLock { families in
      families[name, default: Family(kind: kind, help: help)].readers.append(read)
    }
  }

  private func add(_ source: Source, _ name: String, _ kind: Kind, _ help: String, _ labels: Labels) {
    families.withLock { families in
      var family = families[name] ?? Family(kind: kind, help: help)
      precondition(family.kind == kind, "\(name) is registered as a \(family.kind.rawValue)")
      let key = labels.text
      let place = family.series.firstIndex { $0.key == key } ?? family.series.count
      if place == family.series.count { family.series.append((key, Series(labels: labels))) }
      family.series[place].series.sources.append(source)
      families[name] = family
    }
  }

  // MARK: Reading

  package enum Value: Sendable {
    case whole(Int64)
    case number(Double)
    case histogram(Histogram.Sum)
  }

  /// The current values of one name.
  package struct Sample: Sendable {
    package let name: String
    package let kind: Kind
    package let help: String
    package let points: [(labels: Labels, value: Value)]
  }

  /// Returns the current values of all metrics, sorted by name.
  package func samples() -> [Sample] {
    let present = families.withLock { $0 }
    return present.sorted(by: { $0.key < $1.key }).map { name, family in
      var points = family.series.map { (labels: $0.series.labels, value: Self.value(of: $0.series)) }
      for reader in family.readers { points += reader().map { (labels: $0.0, value: .number($0.1)) } }
      return Sample(name: name, kind: family.kind, help: family.help, points: points)
    }
  }

  private static func value(of series: Series) -> Value {
    var sum: Int64 = 0
    var histogram: Histogram.Sum?
    for source in series.sources {
      switch source {
      case .counter(let counter): sum &+= counter.value
      case .gauge(let gauge): sum &+= gauge.value
      case .histogram(let cell): histogram = cell.sum(with: histogram)
      }
    }
    return histogram.map(Value.histogram) ?? .whole(sum)
  }

  // MARK: Text

  /// Returns all metrics in Prometheus' text format.
  package func text() -> String {
    var text = ""
    for sample in samples() {
      text += "# HELP \(sample.name) \(sample.help.escapedLine)\n# TYPE \(sample.name) \(sample.kind.rawValue)\n"
      for (labels, value) in sample.points { write(value, sample.name, labels, to: &text) }
    }
    return text
  }

  private func write(_ value: Value, _ name: String, _ labels: Labels, to text: inout String) {
    switch value {
    case .whole(let number): text += "\(name)\(labels.text) \(number)\n"
    case .number(let number): text += "\(name)\(labels.text) \(Self.number(number))\n"
    case .histogram(let histogram):
      for (bound, count) in histogram.cumulative {
        let labels = labels.adding("le", bound.map(Self.number) ?? "+Inf")
        text += "\(name)_bucket\(labels.text) \(count)\n"
      }
      text += "\(name)_sum\(labels.text) \(Self.number(histogram.total))\n"
      text += "\(name)_count\(labels.text) \(histogram.count)\n"
    }
  }

  /// Formats a number, without a fraction if it is whole.
  private static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}

extension String {
  fileprivate var escapedLine: String {
    replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
