package import Metrics
internal import Reactor

/// The metrics of one committer, registered when created. Confined to the committer's thread.
package final class CommitterMeter {
  private let operations: Histogram
  private let time: Histogram
  private let waiting: Gauge
  private let connected: Gauge
  private let busy: Counter
  private let repeated: Counter
  private let failed: Counter
  private let turnedAway: Counter

  package init(_ metrics: Metrics) {
    operations = metrics.histogram(
      "upmc_commit_batch_operations", "Device operations that shared one commit.", .batch)
    time = metrics.histogram(
      "upmc_commit_batch_seconds", "From the beginning of a batch of device operations to its commit.", .latency)
    waiting = metrics.gauge("upmc_commit_waiting_operations", "Device operations that wait for their batch.")
    connected = metrics.gauge(
      "upmc_database_connected", "HTTP loops that have their database connection.")
    busy = metrics.counter("upmc_commit_refused_total", "Device operations refused with 503 because too many waited.")
    repeated = metrics.counter(
      "upmc_commit_repeated_total", "Batches made again after a deadlock or a lost connection.")
    failed = metrics.counter("upmc_commit_failed_total", "Device operations that failed in the database.")
    turnedAway = metrics.counter(
      "upmc_new_devices_refused_total",
      "Registrations of unknown devices refused with 429: too many from an address or for an app.")
  }

  func committed(_ count: Int, after time: Duration, waiting rest: Int) {
    operations.record(Int64(count))
    self.time.record(time.nanoseconds)
    waiting.set(Int64(rest))
  }

  func refused() { busy.add() }
  func repeats() { repeated.add() }
  func failed(_ count: Int) { failed.add(count) }
  func turnedAway(_ count: Int) { turnedAway.add(count) }
  func connectionChanged(_ isConnected: Bool) { connected.set(isConnected ? 1 : 0) }
}
