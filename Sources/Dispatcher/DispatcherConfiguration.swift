package import Domain
package import Metrics
package import Postgres
package import Reactor
package import Tracing

/// Configuration of a node's dispatcher.
package struct DispatcherConfiguration: Sendable {
  package let databaseURL: String
  package let node: UUIDValue
  /// Host name of this machine, shown to operators.
  package let host: String
  /// The first of five consecutive writer numbers of this node. The two claimers, the two completers and thread `fold`
  /// use one each, so that no two of them increment the same row of totals.
  package let firstWriter: Int32
  package let pushkeys: PushKeyring
  /// Seal that decrypts the contents of confidential messages.
  package let contents: ContentSeal
  /// The providers by network. Deliveries to the devices of a network without a provider are skipped.
  package let providers: [PushNetwork: any PushProvider]
  /// True if the outcomes of deliveries are stored. False only in a benchmark that measures the cost of outcome rows;
  /// deferred deliveries are then never retried, and messages cannot be resent.
  package let storesOutcomes: Bool
  package let metrics: Metrics
  package let keeping: RetentionPolicy
  /// This node's values of the settings that affect all nodes, which it reports to them: a JSON object of texts.
  package let settings: String
  package let clock: DatabaseClock
  /// Queue for the spans of claims and pushes; nil if tracing is disabled.
  package let spans: SpanQueue?

  package init(
    databaseURL: String, node: UUIDValue, host: String = "", firstWriter: Int32, pushkeys: PushKeyring,
    contents: ContentSeal,
    providers: [PushNetwork: any PushProvider], storesOutcomes: Bool = true, metrics: Metrics = Metrics(),
    keeping: RetentionPolicy = RetentionPolicy(), settings: String = "{}", clock: DatabaseClock = DatabaseClock(),
    spans: SpanQueue? = nil
  ) {
    self.spans = spans
    self.clock = clock
    self.metrics = metrics
    self.keeping = keeping
    self.settings = settings
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
