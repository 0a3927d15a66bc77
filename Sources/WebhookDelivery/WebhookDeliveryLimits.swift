internal import Postgres

/// Numbers of this module: unit, reason.
package enum WebhookDeliveryLimits {
  /// Poll interval for due deliveries.
  static let pollInterval: Duration = .milliseconds(250)
  /// Pause after a database failure.
  static let databasePause: Duration = .seconds(1)
  /// Silence after which a probe checks whether the database still answers.
  static let silence: Duration = .seconds(10)

  /// Options of a thread's connection.
  /// - Parameter name: the thread's.
  static func connectionOptions(_ name: String) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.applicationName = "upmc \(name)"
    options.silence = silence
    return options
  }

  /// SMS fallbacks decided in one transaction.
  static let decidedAtOnce = 1_000
  /// Webhooks served in one round.
  static let webhooksAtOnce = 200
  /// Connections per webhook, each with one event at a time.
  static let connections = 8
  /// Events in flight per app, whatever the number of its webhooks, and in all: the rest is left to other apps. An app
  /// whose webhooks all hang occupies eight of them.
  static let underWayOfOneApp = 64
  static let underWay = 1_024
  /// From the POST to the complete answer.
  static let timeout: Duration = .seconds(10)
  /// Lease of an attempt, in seconds, before another node may make it: the timeout, and time to store the result.
  static let leaseSeconds: Int32 = 60
  /// Bytes of an answer's body, which is not used.
  static let answerBytes = 65_536
  /// How long a resolved address is used.
  static let nameLife: Duration = .seconds(60)
  /// How long a webhook without events keeps its connections and what is known of it.
  static let idleTarget: Duration = .seconds(3_600)
  /// Consecutive failures after which a webhook backs off.
  static let failuresBeforeRest = 3
  static let longestRest: Duration = .seconds(300)
  /// Before a proxy that rejected our password is tried again: directories lock an account after about five failures
  /// within a quarter of an hour.
  static let passwordRest: Duration = .seconds(300)
  /// Between two log lines about a failing proxy.
  static let proxyWordsPause: Duration = .seconds(10)
  /// Longest Retry-After that is honoured, in seconds.
  static let longestRetryAfter: Int32 = 3_600
  /// How often expiring certificates are checked.
  static let watchInterval: Duration = .seconds(600)
  /// On a stop, time for requests in flight.
  static let drain: Duration = .seconds(3)
  /// Pauses before the second attempt, the third, …, in seconds; after the last one the event is given up. 16 hours in
  /// all.
  package static let retrySeconds: [Int32] = [5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800]
}
