package import Reactor

/// Features that a benchmark switches off to measure what they are worth, and delays that a test shortens. No
/// environment variable sets them.
package struct BenchmarkOverrides: Sendable {
  /// False: outcomes update the totals but leave no rows.
  package var storesOutcomes = true
  /// False: every send runs step by step, with a statement and a commit each.
  package var batchesSends = true
  package var adminThreads = ServerLimits.adminThreads
  /// Pauses between webhook attempts, in seconds; nil: the defaults of `WebhookDelivery`.
  package var webhookRetrySeconds: [Int32]?
  /// The machine's clock; a test may supply one that is wrong.
  package var clock: any Clock = SystemClock()

  package init() {}
}
