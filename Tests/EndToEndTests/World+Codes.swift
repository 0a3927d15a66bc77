import Postgres
import TestSupport
import Testing

/// A code for a log-in, to the one device of a user, and what became of it.
extension World {
  func number(_ sql: String) throws -> Int64 {
    try connection.run(Statement("number \(sql.hashValue)", sql)).int64(0, 0)
  }

  /// Waits until the server's node has its lease. From then on it takes sends to named users at once; before, it leaves
  /// them to its planner.
  func waitForLease() throws {
    _ = try poll("the node has no lease") {
      let reply = try client.call("GET", "/ready")
      return reply.status == 200 && !reply.text.contains("has no lease") ? true : nil
    }
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
