internal import Postgres

/// Numbers of this module: unit, reason.
package enum CourierLimits {
  /// How often it is looked for what is due.
  static let pollInterval: Duration = .milliseconds(250)
  /// Pause after the database failed us.
  static let databasePause: Duration = .seconds(1)
  /// After so long without an answer a probe checks whether the database answers at all.
  static let silence: Duration = .seconds(10)

  /// Of a thread's connection.
  /// - Parameter name: of the thread.
  static func connectionOptions(_ name: String) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.applicationName = "upmc \(name)"
    options.silence = silence
    return options
  }

  /// Short messages decided in one transaction.
  static let decidedAtOnce = 1_000
  /// Webhooks served in one round.
  static let webhooksAtOnce = 200
  /// Connections to one webhook: each has one event at a time.
  static let connections = 8
  /// Events under way of one app, whatever the number of its webhooks, and of all: the rest of the connections is for
  /// the others. An app with webhooks that all hang keeps eight of them busy.
  static let underWayOfOneApp = 64
  static let underWay = 1_024
  /// From the POST to the whole answer.
  static let timeout: Duration = .seconds(10)
  /// What an attempt is given before another node may make it: patience, and time to write it down. In seconds.
  static let leaseSeconds: Int32 = 60
  /// Bytes of an answer's body; nobody reads it.
  static let answerBytes = 65_536
  /// How long an address that was looked up is used.
  static let nameLife: Duration = .seconds(60)
  /// Failures in a row after which a webhook rests.
  static let failuresBeforeRest = 3
  static let longestRest: Duration = .seconds(300)
  /// Before a proxy that did not take our password is asked again: directories lock an account after some five tries within
  /// a quarter of an hour or so.
  static let passwordRest: Duration = .seconds(300)
  /// Between two lines of the log about a way out that does not open.
  static let proxyWordsPause: Duration = .seconds(10)
  /// What an answer's Retry-After may ask for at most, in seconds.
  static let longestRetryAfter: Int32 = 3_600
  /// How often it is looked for certificates that end soon.
  static let watchInterval: Duration = .seconds(600)
  /// What is under way may take so long when the node ends.
  static let drain: Duration = .seconds(3)
  /// Pauses before the second attempt, the third, …: after the last one it is given up. 16 hours in all.
  package static let retrySeconds: [Int32] = [5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800]
}
