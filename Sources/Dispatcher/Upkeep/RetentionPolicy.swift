/// How long history and messages are kept.
package struct RetentionPolicy: Sendable {
  /// Days after a message's end for which its recipients are known: outcomes, receipts and reads. Nil: for ever.
  package var historyDays: Int32? = 90
  /// Days after its end that a message and its numbers are kept. Nil: for ever. Statistics stay.
  package var messageDays: Int32? = 400

  package init() {}

  /// How long a range of SEQNOs is in use, in hours: a thirtieth of its later retention, but at least a day.
  var rangeHours: Int32? { historyDays.map { max(24, $0 * 24 / 30) } }
}
