internal import Synchronization

/// What a server counts about itself, for a monitoring system that asks every few seconds.
///
/// ```
///   thread a ──► its own cell ┐
///   thread b ──► its own cell ├── added up when somebody asks ──► text of Prometheus
///   thread c ──► its own cell ┘
/// ```
///
/// **Cheap where it happens.** Each thread asks for cells of its own when it starts, and only it writes to them: counting is
/// a load and a store without lock, fence or contention. Several cells of one name and the same labels are one series:
/// they are added up by whoever asks. What is only known elsewhere (the length of a queue) is asked for then, too.
///
/// **Names** follow Prometheus: base units, counters end in `_total`. A name has one kind and one help text; whoever
/// registers it first has said it. `text()` is the text format, version 0.0.4.
///
/// **Failure**: there is none. A cell lives as long as this registry, also when its thread has ended.
package final class Metrics: Sendable {
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// One value that is asked for at a scrape, with its labels.
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
    /// By their labels as text, in the order in which they came.
    var series: [(key: String, series: Series)] = []
    var readers: [@Sendable () -> [Reading]] = []
  }

  private let families = Mutex<[String: Family]>([:])

  package init() {}

  /// A new cell of a counter, for one thread.
  package func counter(_ name: String, _ help: String, _ labels: Labels = Labels()) -> Counter {
    let cell = Counter()
    add(.counter(cell), name, .counter, help, labels)
    return cell
  }

  /// A new cell of a gauge, for one thread; cells of one series are added up.
  package func gauge(_ name: String, _ help: String, _ labels: Labels = Labels()) -> Gauge {
    let cell = Gauge()
    add(.gauge(cell), name, .gauge, help, labels)
    return cell
  }

  /// A new cell of a histogram, for one thread. All cells of one name have the same scale.
  package func histogram(
    _ name: String, _ help: String, _ scale: Histogram.Scale, _ labels: Labels = Labels()
  ) -> Histogram {
    let cell = Histogram(scale)
    add(.histogram(cell), name, .histogram, help, labels)
    return cell
  }

  /// Values that are asked for at each scrape. `read` must not block.
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

  // MARK: Text

  /// Everything, in Prometheus' text format.
  package func text() -> String {
    let present = families.withLock { $0 }
    var text = ""
    for (name, family) in present.sorted(by: { $0.key < $1.key }) {
      text += "# HELP \(name) \(family.help.escapedLine)\n# TYPE \(name) \(family.kind.rawValue)\n"
      for (_, series) in family.series { write(series, name, to: &text) }
      for reader in family.readers {
        for (labels, value) in reader() { text += "\(name)\(labels.text) \(Self.number(value))\n" }
      }
    }
    return text
  }

  private func write(_ series: Series, _ name: String, to text: inout String) {
    var sum: Int64 = 0
    var histogram: Histogram.Sum?
    for source in series.sources {
      switch source {
      case .counter(let counter): sum &+= counter.value
      case .gauge(let gauge): sum &+= gauge.value
      case .histogram(let cell): histogram = cell.sum(with: histogram)
      }
    }
    guard let histogram else {
      text += "\(name)\(series.labels.text) \(sum)\n"
      return
    }
    for (bound, count) in histogram.cumulative {
      let labels = series.labels.adding("le", bound.map(Self.number) ?? "+Inf")
      text += "\(name)_bucket\(labels.text) \(count)\n"
    }
    text += "\(name)_sum\(series.labels.text) \(Self.number(histogram.total))\n"
    text += "\(name)_count\(series.labels.text) \(histogram.count)\n"
  }

  /// Whole numbers without a fraction.
  private static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}

extension String {
  fileprivate var escapedLine: String {
    replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }
}
