/// How often answers in pieces look for what is new, and how long they go on.
package struct StreamTimes: Sendable {
  /// Between two looks at a message: twice a second is as fast as people read numbers.
  var look = Duration.milliseconds(500)
  /// The same for a message that has ended, where only receipts and reads still come in, and for an overview.
  var slowLook = Duration.seconds(2)
  /// Without any change after a message has ended, its watchers are told that this is the end.
  var rest = Duration.seconds(600)
  /// Longest life of one answer: a session that is over, or a key that was revoked, sees no more after that.
  var life = Duration.seconds(900)
  /// Silence after which a comment is sent, so that proxies do not close the connection.
  var keepAlive = Duration.seconds(15)

  init() {}
}
