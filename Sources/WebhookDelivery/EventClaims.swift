internal import Logging
internal import Postgres
internal import Store

/// Claims a webhook's due events. One that cannot be claimed because of itself is given up, so that the others are
/// sent.
enum EventClaims {
  private static let log = Logger(label: "webhooks")

  /// Claims at most `count` events. If that fails because of an event's data, claims fewer; empty if an event was given
  /// up. Call this outside of transactions.
  static func take(
    _ count: Int, for webhook: Webhooks.Number, leaseSeconds: Int32, on connection: Connection
  ) throws(PostgresError) -> [EventDeliveries.Attempt] {
    try connection.claim(
      atMost: count,
      take: { EventDeliveries.take(webhook, only: $0, atMost: $1, leaseSeconds: leaseSeconds) },
      lock: EventDeliveries.lock(webhook),
      drop: { EventDeliveries.giveUp($0, to: webhook, because: "Set aside: \($1)") }
    ) { event, error in
      log.error(
        "an event cannot be sent and was given up; replay it when the cause is fixed",
        metadata: [
          "webhook": .stringConvertible(webhook), "event": .stringConvertible(event), "error": "\(error)",
        ])
    }
  }
}
