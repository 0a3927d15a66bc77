package import Domain
package import Metrics
package import Postgres
package import Reactor
package import Tracing

/// Configuration of a node's dispatcher.
package struct DispatcherConfiguration: Sendable {
  package let databaseURL: String
  package let node: UUIDValue
  /// Name of this machine, shown to operators.
  package let host: String
  /// The first of this node's writer numbers, which separate the totals that different threads increment.
  package let firstWriter: Int32
  package let pushkeys: PushKeyring
  /// Decrypts the contents of confidential messages.
  package let contents: ContentSeal
  /// The providers by network. Messages for a network without provider wait until there is one.
  package let providers: [PushNetwork: any PushProvider]
  /// False only in a benchmark that measures the cost of outcome rows; deliveries are then never retried later or
  /// resent.
  package let storesOutcomes: Bool
  package let metrics: Metrics
  package let keeping: RetentionPolicy
  package let clock: DatabaseClock
  /// Receives the spans of claims and pushes; nil disables tracing.
  package let spans: SpanQueue?

  package init(
    databaseURL: String, node: UUIDValue, host: String = "", firstWriter: Int32, pushkeys: PushKeyring,
    contents: ContentSeal,
    providers: [PushNetwork: any PushProvider], storesOutcomes: Bool = true, metrics: Metrics = Metrics(),
    keeping: RetentionPolicy = RetentionPolicy(), clock: DatabaseClock = DatabaseClock(),
    spans: SpanQueue? = nil
  ) {
    self.spans = spans
    self.clock = clock
    self.metrics = metrics
    self.keeping = keeping
    self.databaseURL = databaseURL
    self.node = node
    self.host = host
    self.firstWriter = firstWriter
    self.pushkeys = pushkeys
    self.contents = contents
    self.providers = providers
    self.storesOutcomes = storesOutcomes
  }
}
