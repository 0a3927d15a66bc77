/// Limits of this module, with units and reasons.
enum OTLPLimits {
  /// The interval at which the queue is polled: short enough to export a trace soon after its end, long enough to keep
  /// idle nodes asleep.
  static let look = Duration.milliseconds(500)
  /// Maximum spans in one request, as in OpenTelemetry's own exporters: about 300 KiB.
  static let spansOfRequest = 512
  /// Time for which a batch of spans is retried before it is dropped in favor of newer ones.
  static let spanLife = Duration.seconds(300)
  /// First delay of the exponential back-off after failures, unless the collector says how long to wait.
  static let firstPause = Duration.seconds(1)
  /// Maximum delay of the exponential back-off.
  static let longestPause = Duration.seconds(60)
  /// Maximum `Retry-After` that is honored, in seconds.
  static let longestRetryAfter = 600
  /// Time allowed for the final export on shutdown.
  static let drain = Duration.seconds(2)
  /// Maximum response, in bytes; a partial success contains a message.
  static let answerBytes = 65_536
}
