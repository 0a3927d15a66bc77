/// The time limits and sizes of the whole server.
package enum ServerLimits {
  /// Time for which a stopping server lets the HTTP service answer its requests.
  static let drain: Duration = .seconds(10)
  /// Time after the beginning of `drain` at which the database statements of admin requests are cancelled.
  static let adminDrain: Duration = .seconds(4)
  /// Time for which a stopping server waits for Apple and Google to answer requests in flight.
  static let providerDrain: Duration = .seconds(5)
  /// The interval at which apps and credentials are reloaded when no change is announced.
  static let catalogInterval: Duration = .seconds(1)
  /// The interval at which the last uses of API keys are stored. Last uses have a resolution of one minute.
  static let keyUseInterval: Duration = .seconds(60)
  /// Time for which the connection may be silent before a query checks that the database still answers.
  static let catalogSilence: Duration = .seconds(5)
  /// The number of days before a push certificate expires at which the log starts to warn.
  static let certificateWarningDays: Int64 = 30
  /// Maximum number of HTTP loops; more would take processor cores that the database needs.
  static let httpLoops = 2
  /// The number of threads for admin requests.
  package static let adminThreads = 2
}
