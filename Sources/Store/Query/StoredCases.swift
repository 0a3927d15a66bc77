/// Stored enums in SQL text: a statement names what it means, `state = \(MessageState.paused.sql)`, and a case that gets
/// another number cannot be forgotten in one of them.
extension RawRepresentable where RawValue == Int16 {
  /// The case's number.
  var sql: String { String(rawValue) }
}
