/// Intervals and durations of streamed answers.
package struct StreamTimes: Sendable {
  /// Minimum pause between two queries for an unfinished message's numbers; people cannot read numbers faster. Also the
  /// interval at which both stream threads look for work while answers are open.
  var look = Duration.milliseconds(500)
  /// Minimum pause between two queries for the numbers of a finished message, of which only receipts and reads still
  /// change, and of an overview.
  var slowLook = Duration.seconds(2)
  /// Time for which the numbers of a finished message must stay unchanged before viewers get the event `end`.
  var rest = Duration.seconds(600)
  /// Maximum duration of a live view; one whose client has stopped reading stays open longer. It limits how long an
  /// expired session or revoked key still gets numbers. Exports have no limit.
  var life = Duration.seconds(900)
  /// Time without data after which a comment is sent to the viewer, so that proxies do not close the connection.
  var keepAlive = Duration.seconds(15)
  /// Maximum duration of a statement of an export.
  var exportStatement = AdminLimits.exportStatementTimeout

  init() {}
}
