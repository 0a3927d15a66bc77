/// Stored enums in SQL text. A statement names what it means, `state = \(MessageState.paused.sql)`, so that renumbering
/// a case cannot leave a statement behind.
extension RawRepresentable where RawValue == Int16 {
  /// The case's number.
  var sql: String { String(rawValue) }
}
