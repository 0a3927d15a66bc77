/// Time limits and sizes of the whole server.
package enum ServerLimits {
  /// How long a stopping server lets the HTTP service answer its requests.
  static let drain: Duration = .seconds(10)
  /// How long after the beginning of `drain` the database statements of admin requests are cancelled.
  static let adminDrain: Duration = .seconds(4)
  /// How long a stopping server waits for Apple and Google to answer requests in flight.
  static let providerDrain: Duration = .seconds(5)
  /// How often apps and credentials are reloaded when no change is announced.
  static let catalogInterval: Duration = .seconds(1)
  /// How often the last uses of API keys are stored. Last uses have a resolution of one minute.
  static let keyUseInterval: Duration = .seconds(60)
  /// How long the connection may be silent before a query checks that the database still answers.
  static let catalogSilence: Duration = .seconds(5)
  /// How many days before a push certificate expires the log starts to warn.
  static let certificateWarningDays: Int64 = 30
  /// Maximum number of HTTP loops; more would take processor cores that the database needs.
  static let httpLoops = 2
  /// Number of threads for admin requests.
  package static let adminThreads = 2
}
