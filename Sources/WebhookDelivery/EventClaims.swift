internal import Logging
internal import Postgres
internal import Store

/// Claims a webhook's due events. One that cannot be claimed because of itself is given up, so that the others are
/// sent.
///
/// ```
///   several ──► fails: half of them are tried, down to one
///   one     ──► fails: it is locked, then claimed by its key ──► fails: it is given up
/// ```
enum EventClaims {
  private static let log = Logger(label: "webhooks")

  /// Claims at most `count` events. If that fails because of an event's data, claims fewer; empty if an event was given
  /// up. Call this outside of transactions.
  static func take(
    _ count: Int, for webhook: Webhooks.Number, leaseSeconds: Int32, on connection: Connection
  ) throws(PostgresError) -> [EventDeliveries.Attempt] {
    do throws(PostgresError) {
      return try connection.run(EventDeliveries.take(webhook, atMost: count, leaseSeconds: leaseSeconds))
    } catch {
      guard error.isOwnFault else { throw error }
      // Bisect to find the faulty event, so that the others are sent.
      if count > 1 { return try take(count / 2, for: webhook, leaseSeconds: leaseSeconds, on: connection) }
      return try takeOne(for: webhook, leaseSeconds: leaseSeconds, on: connection)
    }
  }

  /// Locks one event before it is claimed, so that it is known which one fails. That may be another one than has failed
  /// before: one that another node has just unlocked, for example.
  private static func takeOne(
    for webhook: Webhooks.Number, leaseSeconds: Int32, on connection: Connection
  ) throws(PostgresError) -> [EventDeliveries.Attempt] {
    var locked: Int64?
    do throws(PostgresError) {
      return try connection.transaction { () throws(PostgresError) -> [EventDeliveries.Attempt] in
        locked = try connection.run(EventDeliveries.lock(webhook))
        guard let event = locked else { return [] }
        return try connection.run(
          EventDeliveries.take(webhook, only: event, atMost: 1, leaseSeconds: leaseSeconds))
      }
    } catch {
      guard error.isOwnFault, let event = locked else { throw error }
      if try connection.run(EventDeliveries.giveUp(event, to: webhook, because: "Set aside: \(error)")) {
        log.error(
          "an event cannot be sent and was given up; replay it when the cause is fixed",
          metadata: [
            "webhook": .stringConvertible(webhook), "event": .stringConvertible(event), "error": "\(error)",
          ])
      }
      return []
    }
  }
}
