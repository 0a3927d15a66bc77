internal import Domain
internal import Metrics
internal import Reactor
internal import Store

/// Metrics of a `claim` thread.
struct ClaimMeter {
  private let devices: [Counter]
  private let batch: Histogram
  private let time: Histogram

  init(_ metrics: Metrics) {
    devices = Lane.allCases.map { lane in
      metrics.counter("upmc_claimed_devices_total", "Devices claimed for sending, by lane.", ["lane": lane.name])
    }
    batch = metrics.histogram("upmc_claim_batch_devices", "Devices of one claim.", .batch)
    time = metrics.histogram("upmc_claim_batch_seconds", "From the beginning of a claim to its commit.", .latency)
  }

  func claimed(_ count: Int, _ lane: Lane, after time: Duration) {
    devices[Int(lane.rawValue)].add(count)
    batch.record(Int64(count))
    self.time.record(time.nanoseconds)
  }
}
