import Postgres
import Testing

/// A code for a log-in, to the one device of a user, and what became of it.
extension World {
  func number(_ sql: String) throws -> Int64 {
    try connection.run(Statement("number \(sql.hashValue)", sql)).int64(0, 0)
  }

  func sendCode(_ more: String = "") throws -> String {
    try send(#"{"clientUids":["kim"]}"#, #","lane":"urgent"\#(more)"#)
  }

  /// It was delivered, at the first try and without any doubt.
  func expectDelivered(_ seqno: String) throws {
    let end = try finished(seqno)
    #expect(end.int("accepted") == 1 && end.int("skipped") == 0, "\(end.text)")
    #expect(end.int("unknown") == 0 && end.int("resent") == 0, "\(end.text)")
  }
}
