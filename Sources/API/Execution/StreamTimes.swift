/// How often streamed answers query for changes, and how long they last.
package struct StreamTimes: Sendable {
  /// Query interval of a message: twice a second is as fast as people read numbers.
  var look = Duration.milliseconds(500)
  /// The same for a finished message, where only receipts and reads still arrive, and for an overview.
  var slowLook = Duration.seconds(2)
  /// How long a finished message must be unchanged before its viewers get the `end` event.
  var rest = Duration.seconds(600)
  /// Longest life of one answer: it bounds how long an expired session or revoked key still sees numbers.
  var life = Duration.seconds(900)
  /// Silence after which a comment is sent, so that proxies do not close the connection.
  var keepAlive = Duration.seconds(15)

  init() {}
}
