/// Numbers of the wiring: unit, reason.
package enum ServerLimits {
  /// The doors answer what they have within this time.
  static let drain: Duration = .seconds(10)
  /// After so much of it, what the database still works at for admin requests is cancelled.
  static let adminDrain: Duration = .seconds(4)
  /// How long requests to Apple and Google under way may take to be answered at a stop.
  static let providerDrain: Duration = .seconds(5)
  /// How often apps and credentials are read again when nothing announces a change.
  static let catalogInterval: Duration = .seconds(1)
  /// After so long without an answer a probe checks whether the database answers at all.
  static let catalogSilence: Duration = .seconds(5)
  /// Days before a push certificate ends that the log begins to say so.
  static let certificateWarningDays: Int64 = 30
  /// Most HTTP loops: more would take the cores that the database needs.
  static let httpLoops = 2
  /// Threads for admin requests.
  package static let adminThreads = 2
}
