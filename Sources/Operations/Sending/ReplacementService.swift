package import Domain
package import Postgres
internal import Store
package import Time

/// Replaces a scheduled message with another one.
package enum ReplacementService {
  /// Stores the message in `request`, or its approval request, and cancels the message `old` in the same commit, so
  /// that `old` is not sent even if the new message waits for approval. A repeated idempotency key returns the first
  /// answer.
  /// - Throws: the problems of a send; `.wrongState` if the old message has begun or ended; `.unknownMessage`;
  ///   `.impossible` if the new message is for another app or a dry run. The old message then stays as it is.
  package static func replace(
    _ old: Seqno, by request: SendRequest, on connection: Connection, catalog: Catalog? = nil, now: Timestamp
  ) throws(Problem) -> SendAnswer {
    try request.caller.require(.control)
    var request = request
    request.replaces = old
    let found = try ReportService.funnel(old, for: request.caller, on: connection)
    let message = try MessageRequest(json: try SavedTemplate.fill(request.body, for: request.caller, on: connection))
    guard message.appID == found.funnel.appID else {
      throw Problem(.impossible, at: "/appId", "must be the app of message \(old): \(found.funnel.appID)")
    }
    guard !message.dryRun else { throw Problem(.impossible, at: "/dryRun", "is for a send: POST /v1/admin/messages") }
    let answer = try SendService.send(request, on: connection, catalog: catalog, now: now)
    // The cancellation began in the commit that stored the new message or its approval request: in both cases the old
    // message must no longer be sent.
    if let status = try connection.answer(Controls.lock(old))?.status, status.isCancelling {
      _ = try ControlService.finishCancelling(old, for: request.caller, on: connection, now: now)
    }
    return answer
  }
}
