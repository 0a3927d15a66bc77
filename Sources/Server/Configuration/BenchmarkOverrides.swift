package import Reactor

/// What a benchmark takes away from a server, to show what it is worth, and a test hurries. Nothing else can: there is no
/// variable for it.
package struct BenchmarkOverrides: Sendable {
  /// False: outcomes move the totals but leave no rows.
  package var storesOutcomes = true
  /// False: every send takes the long way, a statement and a commit for each step.
  package var batchesSends = true
  package var adminThreads = ServerLimits.adminThreads
  /// Pauses between attempts at a webhook; nil: those of the courier.
  package var webhookRetrySeconds: [Int32]?
  /// The machine's; another one where a test sets it wrong.
  package var clock: any Clock = SystemClock()

  package init() {}
}
