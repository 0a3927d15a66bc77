package import Reactor

/// The features that a benchmark turns off to measure their cost, and the delays and timeouts that a test changes. No
/// environment variable sets them.
package struct BenchmarkOverrides: Sendable {
  /// If false, outcomes update the totals but are not stored as rows.
  package var storesOutcomes = true
  /// If false, each send runs on its own, with one statement and commit per step.
  package var batchesSends = true
  package var adminThreads = ServerLimits.adminThreads
  /// The time after which a device call or a single send without a commit is answered with 503; nil for the default.
  package var commitTimeout: Duration?
  /// The delays between webhook attempts, in seconds; nil for the defaults of `WebhookDelivery`.
  package var webhookRetrySeconds: [Int32]?
  /// The timeout of a webhook attempt; nil for the default of `WebhookDelivery`.
  package var webhookTimeout: Duration?
  /// The machine's clock; a test may supply one that is wrong.
  package var clock: any Clock = SystemClock()

  package init() {}
}
