internal import Domain
internal import Metrics
internal import Reactor

/// The metrics of a sender. Confined to the sender's thread; the `LastSuccess` that it updates can be read by any
/// thread.
final class PushMeter {
  private let metrics: Metrics
  private let network: String
  private var answers: [String: Counter] = [:]
  private let answerTimes: [Histogram]
  private let queueTimes: [Histogram]
  private let connections: Gauge
  private let inFlight: Gauge
  private let heldBack: Gauge
  private let lastAccepted: LastSuccess

  init(_ configuration: WireConfiguration) {
    let (metrics, network) = (configuration.metrics, configuration.network)
    self.metrics = metrics
    self.network = network
    lastAccepted = configuration.lastAccepted
    answerTimes = Lane.allCases.map { lane in
      metrics.histogram(
        "upmc_push_answer_seconds", "From a submission to the push network's answer.", .latency,
        ["network": network, "lane": lane.name])
    }
    queueTimes = Lane.allCases.map { lane in
      metrics.histogram(
        "upmc_push_queue_seconds", "From reading a device's token to its submission.", .latency,
        ["network": network, "lane": lane.name])
    }
    connections = metrics.gauge(
      "upmc_push_connections", "Open connections to the push network.", ["network": network])
    inFlight = metrics.gauge(
      "upmc_push_in_flight", "Submissions that wait for the push network's answer.", ["network": network])
    heldBack = metrics.gauge(
      "upmc_push_held_back",
      "Credentials, by environment, that send nothing now: no connection can be made, or the network asked to wait.",
      ["network": network])
    // Create these counters at start, so that a rate over them includes the first event.
    for result in [Self.accepted, Self.notProcessed, Self.unknown] { _ = answer(result) }
  }

  private static let accepted = "accepted"
  private static let notProcessed = "not-processed"
  private static let unknown = "unknown"

  func submitted(_ lane: Lane, after nanoseconds: Int64) {
    queueTimes[Int(lane.rawValue)].record(nanoseconds)
  }

  func answered(_ lane: Lane, after time: Duration) {
    answerTimes[Int(lane.rawValue)].record(time.nanoseconds)
  }

  /// Counts how a request ended, and records the time of an accepted push.
  /// - Parameters:
  ///   - wallSeconds: the current time in seconds since 1970.
  ///   - word: returns the push network's error code for a refusal.
  func ended(_ ending: Ending, wallSeconds: Int64, word: (Refusal) -> String) {
    switch ending {
    case .accepted:
      answer(Self.accepted).add()
      lastAccepted.note(wallSeconds)
    case .refused(let refusal): answer(word(refusal)).add()
    case .notProcessed: answer(Self.notProcessed).add()
    case .unknown: answer(Self.unknown).add()
    }
  }

  func look(connections count: Int, inFlight requests: Int, heldBack pools: Int) {
    connections.set(Int64(count))
    inFlight.set(Int64(requests))
    heldBack.set(Int64(pools))
  }

  private func answer(_ result: String) -> Counter {
    if let known = answers[result] { return known }
    let made = metrics.counter(
      "upmc_push_answers_total", "How submissions ended, in the push network's own word.",
      ["network": network, "result": result])
    answers[result] = made
    return made
  }
}
