/// For how long what grows is kept.
package struct RetentionPolicy: Sendable {
  /// Days after its end that it is known who got a message: outcomes, receipts and reads. Nil: for ever.
  package var historyDays: Int32? = 90
  /// Days after its end that a message and its numbers are kept. Nil: for ever. Statistics stay.
  package var messageDays: Int32? = 400

  package init() {}

  /// How long a range of SEQNOs is in use, in hours: a thirtieth of the time that it is kept after that, at least a day.
  var rangeHours: Int32? { historyDays.map { max(24, $0 * 24 / 30) } }
}
