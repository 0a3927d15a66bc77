/// Numbers of stored enum cases for SQL text. Statements use the case's name, as in `state =
/// \(MessageState.paused.sql)`, so that they stay right when a case is renumbered.
extension RawRepresentable where RawValue == Int16 {
  /// The case's number as SQL text.
  var sql: String { String(rawValue) }
}
