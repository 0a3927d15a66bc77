/// Intervals and durations of streamed answers.
package struct StreamTimes: Sendable {
  /// Interval between queries for a message's numbers; people cannot read numbers faster than that.
  var look = Duration.milliseconds(500)
  /// Interval for a finished message, which only gets receipts and reads, and for an overview.
  var slowLook = Duration.seconds(2)
  /// Time for which the numbers of a finished message must stay unchanged before viewers get the event `end`.
  var rest = Duration.seconds(600)
  /// Maximum duration of one answer. It limits how long an expired session or revoked key still gets numbers.
  var life = Duration.seconds(900)
  /// Time without data after which a comment is sent, so that proxies do not close the connection.
  var keepAlive = Duration.seconds(15)

  init() {}
}
