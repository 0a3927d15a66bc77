internal import Postgres

/// Limits of this module.
package enum WebhookDeliveryLimits {
  /// Poll interval for due deliveries.
  static let pollInterval: Duration = .milliseconds(250)
  /// Pause after a database failure.
  static let databasePause: Duration = .seconds(1)
  /// Time without an answer after which a probe checks whether the database responds.
  static let silence: Duration = .seconds(10)

  /// Returns the options of a thread's database connection.
  /// - Parameter name: the thread's name.
  static func connectionOptions(_ name: String) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.applicationName = "upmc \(name)"
    options.silence = silence
    return options
  }

  /// Maximum SMS fallbacks decided in one transaction.
  static let decidedAtOnce = 1_000
  /// Maximum webhooks served in one round.
  static let webhooksAtOnce = 200
  /// Maximum connections per webhook, each with one event at a time.
  static let connections = 8
  /// Maximum events in flight per app, whatever the number of its webhooks. An app whose webhooks all hang occupies
  /// only its own share.
  static let underWayOfOneApp = 64
  /// Maximum events in flight in total.
  static let underWay = 1_024
  /// Timeout of a request, until the answer is complete.
  static let timeout: Duration = .seconds(10)
  /// Seconds by which the lease of an attempt exceeds its timeout: the time to store the result.
  static let storingSeconds: Int32 = 50
  /// Maximum bytes read of an answer's body. It is ignored, but the end of a usual one lets the connection be reused.
  static let answerBytes = 65_536
  /// How long a resolved address is used before the name is resolved again.
  static let nameLife: Duration = .seconds(60)
  /// How long a webhook without events keeps its connections and state.
  static let idleTarget: Duration = .seconds(3_600)
  /// Consecutive failures after which a webhook backs off.
  static let failuresBeforeRest = 3
  /// Maximum back-off of a webhook.
  static let longestRest: Duration = .seconds(300)
  /// Pause before a proxy that has rejected the password is tried again: directories lock an account after about five
  /// failures within 15 minutes.
  static let passwordRest: Duration = .seconds(300)
  /// Minimum interval between two log entries about a failing proxy.
  static let proxyWordsPause: Duration = .seconds(10)
  /// Maximum Retry-After that is honored, in seconds.
  static let longestRetryAfter: Int32 = 3_600
  /// Interval at which certificates are checked for expiry.
  static let watchInterval: Duration = .seconds(600)
  /// How long requests in flight may take to finish when the thread stops.
  static let drain: Duration = .seconds(3)
  /// Delays before the second attempt, the third …, in seconds; after the last attempt the event is given up. 16 hours
  /// in total.
  package static let retrySeconds: [Int32] = [5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800]
}
