/// Numbers of the server's assembly: unit, reason.
package enum ServerLimits {
  /// On a stop, time for the HTTP service to answer its requests.
  static let drain: Duration = .seconds(10)
  /// Into that time, when the database statements of admin requests are cancelled.
  static let adminDrain: Duration = .seconds(4)
  /// On a stop, time for Apple and Google to answer requests in flight.
  static let providerDrain: Duration = .seconds(5)
  /// How often apps and credentials are reloaded when no change is announced.
  static let catalogInterval: Duration = .seconds(1)
  /// How often it is written which API keys were used: as often as their last use, to the minute, may change.
  static let keyUseInterval: Duration = .seconds(60)
  /// Silence after which a probe checks whether the database still answers.
  static let catalogSilence: Duration = .seconds(5)
  /// How many days before a push certificate expires the log starts to warn.
  static let certificateWarningDays: Int64 = 30
  /// Most HTTP loops: more would take the cores that the database needs.
  static let httpLoops = 2
  /// Threads for admin requests.
  package static let adminThreads = 2
}
