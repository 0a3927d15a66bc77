/// Numbers of this module: unit, reason.
enum OTLPLimits {
  /// Interval of looking at the queue: a trace is in the collector soon after its end, and an idle node hardly wakes.
  static let look = Duration.milliseconds(500)
  /// Spans of one request, as in OpenTelemetry's own exporters: some 300 KiB.
  static let spansOfRequest = 512
  /// How long spans that a collector does not take now are offered to it again, before newer ones.
  static let spanLife = Duration.seconds(300)
  /// Pauses after failures, doubled each time, unless the collector says how long to wait.
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(60)
  /// Longest `Retry-After` that is followed, in seconds.
  static let longestRetryAfter = 600
  /// On a stop, time for the last spans and values.
  static let drain = Duration.seconds(2)
  /// Maximum answer, in bytes; a partial success has a sentence.
  static let answerBytes = 65_536
}
