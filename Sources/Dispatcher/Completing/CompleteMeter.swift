internal import Domain
internal import Metrics
internal import Reactor
internal import Store

/// Metrics of a `complete` thread.
struct CompleteMeter {
  private let outcomes: [OutcomeStatus: Counter]
  private let batch: Histogram
  private let time: Histogram
  private let retries: Gauge
  private let breaker: Counter

  init(_ metrics: Metrics) {
    var outcomes: [OutcomeStatus: Counter] = [:]
    for status in OutcomeStatus.allCases {
      outcomes[status] = metrics.counter(
        "upmc_outcomes_total", "Outcomes of deliveries decided, by status; deferred ones are decided again later.",
        ["status": status.metricName])
    }
    self.outcomes = outcomes
    batch = metrics.histogram("upmc_outcome_batch_deliveries", "Outcomes that shared one commit.", .batch)
    time = metrics.histogram(
      "upmc_outcome_batch_seconds", "From the beginning of a commit of outcomes to its end.", .latency)
    retries = metrics.gauge("upmc_retries_waiting", "Deliveries that wait in memory for their next try.")
    breaker = metrics.counter(
      "upmc_breaker_opened_total", "Times that a flood of refused tokens has paused an app.")
  }

  func wrote(_ decisions: [Decisions.Decision], after time: Duration) {
    for decision in decisions { outcomes[decision.record.status]?.add() }
    batch.record(Int64(decisions.count))
    self.time.record(time.nanoseconds)
  }

  func waiting(_ count: Int) { retries.set(Int64(count)) }
  func opened(_ count: Int) { breaker.add(count) }
}

extension OutcomeStatus {
  /// Label of the outcome counter: the status name, except for `deferred`, which here counts decisions to defer rather
  /// than deliveries that are deferred now.
  fileprivate var metricName: String { self == .deferred ? "deferred" : name }
}
