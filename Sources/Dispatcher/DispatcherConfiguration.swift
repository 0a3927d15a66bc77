package import Domain
package import Metrics
package import Postgres
package import Reactor

/// What a node's dispatcher is told at its start.
package struct DispatcherConfiguration: Sendable {
  package let databaseURL: String
  package let node: UUIDValue
  /// This node's numbers in the totals start here.
  package let firstWriter: Int32
  package let pushkeys: PushKeyring
  /// Opens what confidential messages say.
  package let contents: ContentSeal
  /// By network; a network without provider keeps its messages until there is one.
  package let providers: [PushNetwork: any PushProvider]
  /// False only where a benchmark asks what the rows cost: then nothing is retried later, resent or explained.
  package let storesOutcomes: Bool
  package let metrics: Metrics
  package let keeping: RetentionPolicy
  package let clock: DatabaseClock

  package init(
    databaseURL: String, node: UUIDValue, firstWriter: Int32, pushkeys: PushKeyring, contents: ContentSeal,
    providers: [PushNetwork: any PushProvider], storesOutcomes: Bool = true, metrics: Metrics = Metrics(),
    keeping: RetentionPolicy = RetentionPolicy(), clock: DatabaseClock = DatabaseClock()
  ) {
    self.clock = clock
    self.metrics = metrics
    self.keeping = keeping
    self.databaseURL = databaseURL
    self.node = node
    self.firstWriter = firstWriter
    self.pushkeys = pushkeys
    self.contents = contents
    self.providers = providers
    self.storesOutcomes = storesOutcomes
  }
}
