internal import Domain

/// The stored number of an enum case, for SQL text. Statements name the case, as in `state =
/// \(MessageState.paused.sql)`, so that renumbering a case cannot break them.
extension RawRepresentable where RawValue == Int16 {
  /// The case's number as SQL text.
  var sql: String { String(rawValue) }
}

extension PushNetwork {
  /// Returns SQL for a network's name in the wire protocol.
  /// - Parameter number: SQL for its stored number.
  static func pnsID(of number: String) -> String {
    "CASE \(number) WHEN \(apns.sql) THEN '\(apns.pnsID)' ELSE '\(fcm.pnsID)' END"
  }
}
