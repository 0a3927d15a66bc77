internal import Logging
internal import PushTransport
package import Reactor

/// Delivers events to the customers' own servers: SMS requests, completed messages, invalid push tokens, expiring
/// credentials and more (`EventKind`).
///
/// ```
///   something happens ──► row in `events`, and one in `event_deliveries` for every webhook that wants it
///   (one commit with it)        │
///                               ▼
///             waits ──► claimed (attempt and lease committed) ──► POST, signed ──► 2xx: delivered
///               ▲                                                    │
///               └────────── back-off, growing ───────────────────────┤ anything else
///                                                                    └─ after the last attempt: dead, until replayed
/// ```
///
/// **One event, delivered at least once.** An event is one row; a node that dies after its POST and before storing
/// the result leaves a delivery that is sent again, with the same `webhook-id`. A receiver keeps the ids of a day or
/// so, and drops those it knows.
///
/// **SMS fallback** (`Deadlines`, thread `fallback`): every person of a message with a fallback has a row since the
/// claim. The confirmation's transaction or the deadline's decides it, whichever locks it first (`Fallbacks`); the
/// event is written in the deadline's own commit. Any number of nodes may poll; locked rows are skipped.
///
/// **Delivery** (`WebhookWorker`, thread `webhooks`): an event loop with a few connections per webhook, and a database
/// connection that blocks it for the duration of a statement. A webhook that fails several times in a row backs off
/// (1 s … 5 min) and is then probed with one event at a time, so an outage does not use up the attempts of its other
/// events; an event that is due for a week without an attempt is given up too (`EventDeliveries.giveUpOverdue`).
/// Webhooks are served round-robin, and no app gets more than a share of the connections or name resolutions: webhooks
/// that hang delay only those of their own app.
///
/// **Allowed addresses** (`AddressRule`): `https` to public addresses, unless the configuration allows a network; then
/// also plain `http`. We resolve the name and connect to the address that we validated, which defeats DNS rebinding.
/// Redirections are not followed. The same holds behind a proxy, which is given the validated address, not the name
/// (`WebhookRoute`); a proxy that resolves names itself (no DNS here) must refuse private addresses. A password that
/// the proxy rejects is retried by one webhook for all (`ProxyState`).
///
/// **Signature** (`Signature`): that of standardwebhooks.com, HMAC-SHA-256 over id, time and body.
///
/// **Failure**: when the database is away, both threads retry once a second; events whose result could not be stored
/// are sent again when their lease expires.
package final class WebhookDelivery {
  private let configuration: WebhookDeliveryConfiguration
  private let resolver: Resolver
  private let stopping: StopSignal
  private let done: Inbox<Void>
  private var threads = 0

  package init(_ configuration: WebhookDeliveryConfiguration) throws(SystemError) {
    self.configuration = configuration
    stopping = try StopSignal()
    resolver = try Resolver(
      threads: PushTransport.Limits.customersResolverThreads, questionsOfOne: PushTransport.Limits.questionsOfOne)
    done = try Inbox(capacity: 2)
  }

  /// Starts the threads.
  package func start() throws(SystemError) {
    let (configuration, resolver, stopping) = (configuration, resolver, stopping)
    try run("webhooks") {
      do throws(SystemError) {
        try Resolver.run([resolver], named: "webhook-dns") { () throws(SystemError) in
          try WebhookWorker(configuration, resolver, stopping).run()
        }
      } catch {
        Logger(label: "webhooks").critical("the thread could not start", metadata: ["error": "\(error)"])
      }
    }
    try run("fallback") { Deadlines(configuration, stopping).run() }
  }

  /// Stops the threads. Requests in flight get a few seconds to be answered.
  package func stop() {
    stopping.raise()
    let deadline = SystemClock().now + WebhookDeliveryLimits.drain + .seconds(2)
    while threads > 0 {
      let rest = deadline - SystemClock().now
      guard rest > .zero else { return }
      threads -= done.receive(atMost: rest).count
    }
  }

  private func run(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let done = done
    _ = try Thread(name: name) {
      body()
      _ = done.offer(())
    }
    threads += 1
  }
}
