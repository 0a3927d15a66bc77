internal import Logging
internal import PushTransport
package import Reactor

/// Tells the customer's own servers what has happened: short messages that are to be sent, messages that have ended,
/// tokens that are dead, credentials that end soon.
///
/// ```
///   something happens ──► row in `events`, and one in `event_deliveries` for every webhook that wants it
///   (one commit with it)        │
///                               ▼
///             waits ──► taken (attempt and lease committed) ──► POST, signed ──► 2xx: delivered
///               ▲                                                  │
///               └────────── later, and later still ────────────────┤ anything else
///                                                                  └─ after the last attempt: dead, until it is replayed
/// ```
///
/// **Exactly one event, told at least once.** What happened is one row; a node that dies after its POST and before its word
/// about it leaves a delivery that is told again, with the same `webhook-id`. A receiver keeps the ids of a day or so, and
/// drops those it knows.
///
/// **Short messages** (`Deadlines`, thread `fallback`): every person of a message with a fallback has a row since the
/// claim. The confirmation's transaction or the deadline's decides it, whichever locks it first (`Fallbacks`); the event is
/// written in the deadline's own commit. Any number of nodes may look; a locked row is passed by.
///
/// **Delivery** (`Rounds`, thread `webhooks`): an event loop with a few connections for each webhook, and a database
/// connection that blocks it for the moment that a statement takes. A webhook that fails several times in a row rests
/// (1 s … 5 min) and is tried with one event at a time: an outage uses up nobody else's attempts. Apps take turns, and
/// none has more than a part of the connections or of the look-ups: webhooks that hang delay those of their own app only.
///
/// **Where it may go** (`AddressRule`): `https` to public addresses, unless the configuration allows a network; then also
/// plain `http`. The name is looked up here, and connected is to the address that was checked, so a name that changes its
/// meaning between does not help anybody. Redirections are not followed. Behind a proxy the same holds: it is told the address
/// that was checked, not the name (`Way`), and a password that it does not take is told it by one webhook for all (`WayOut`).
///
/// **Signature** (`Signature`): that of standardwebhooks.com, HMAC-SHA-256 over id, time and body.
///
/// **Failure**: when the database is away, both threads try again once a second; what was posted meanwhile is told again
/// when its lease has run out.
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
          try Rounds(configuration, resolver, stopping).run()
        }
      } catch {
        Logger(label: "webhooks").critical("the thread could not start", metadata: ["error": "\(error)"])
      }
    }
    try run("fallback") { Deadlines(configuration, stopping).run() }
  }

  /// Ends them; what is under way may be answered within a few seconds.
  package func stop() {
    stopping.give()
    let deadline = SystemClock().now + CourierLimits.drain + .seconds(2)
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
