/// How often streamed answers query for changes, and how long they last.
package struct StreamTimes: Sendable {
  /// How often a message's numbers are queried; people cannot read numbers faster than that.
  var look = Duration.milliseconds(500)
  /// How often those of a finished message, which only gets receipts and reads, or of an overview are queried.
  var slowLook = Duration.seconds(2)
  /// How long the numbers of a finished message must stay unchanged before viewers get the event `end`.
  var rest = Duration.seconds(600)
  /// Maximum duration of one answer. It limits how long an expired session or revoked key still gets numbers.
  var life = Duration.seconds(900)
  /// How long nothing may be sent before a comment keeps proxies from closing the connection.
  var keepAlive = Duration.seconds(15)

  init() {}
}
