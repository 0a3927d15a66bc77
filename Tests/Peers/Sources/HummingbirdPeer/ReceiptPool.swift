import CLibPQ
import Foundation

/// Blocking libpq connections, a thread for each; requests are handed over and awaited. One prepared statement stores a
/// receipt and counts it, as our own does for many.
final class ReceiptPool: @unchecked Sendable {
  private struct Job {
    let seqno: String
    let psid: String
    let done: CheckedContinuation<String, Never>
  }

  private static let sql = """
    WITH found AS (
      SELECT m.seqno, p.device FROM messages m
      JOIN psids p ON p.app = m.app AND p.psid = $2 AND p.kind = 1 WHERE m.seqno = $1::bigint
    ), fresh AS (
      INSERT INTO row_receipts (seqno, device, at) SELECT seqno, device, now() FROM found
      ON CONFLICT (seqno, device) DO NOTHING RETURNING seqno
    ), counted AS (
      INSERT INTO message_totals (seqno, writer, received)
      SELECT seqno, $3::int, count(*) FROM fresh GROUP BY seqno
      ON CONFLICT (seqno, writer) DO UPDATE SET received = message_totals.received + excluded.received
    )
    SELECT count(*) FROM found
    """

  private let condition = NSCondition()
  private var jobs: [Job] = []
  private var next = 0

  init(url: String, connections: Int) {
    for number in 0..<connections { Thread { self.work(url, writer: 2_000 + number) }.start() }
  }

  func store(seqno: Int64, psid: String) async -> String {
    await withCheckedContinuation { continuation in
      condition.lock()
      jobs.append(Job(seqno: String(seqno), psid: psid, done: continuation))
      condition.signal()
      condition.unlock()
    }
  }

  private func take() -> Job {
    condition.lock()
    defer { condition.unlock() }
    while next == jobs.count { condition.wait() }
    let job = jobs[next]
    next += 1
    if next == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      next = 0
    }
    return job
  }

  private func work(_ url: String, writer: Int) {
    let connection = PQconnectdb(url)
    guard PQstatus(connection) == CONNECTION_OK else {
      fatalError("no database: \(String(cString: PQerrorMessage(connection)))")
    }
    let prepared = PQprepare(connection, "store", Self.sql, 3, nil)
    guard PQresultStatus(prepared) == PGRES_COMMAND_OK else {
      fatalError("not prepared: \(String(cString: PQerrorMessage(connection)))")
    }
    PQclear(prepared)
    while true {
      let job = take()
      let status = job.seqno.withCString { seqno in
        job.psid.withCString { psid in
          String(writer).withCString { writer in
            let values: [UnsafePointer<CChar>?] = [seqno, psid, writer]
            let result = PQexecPrepared(connection, "store", 3, values, nil, nil, 0)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK else {
              fatalError("not stored: \(String(cString: PQerrorMessage(connection)))")
            }
            if String(cString: PQgetvalue(result, 0, 0)) == "0" { return "unknown-message" }
            return "recorded"
          }
        }
      }
      job.done.resume(returning: status)
    }
  }
}
