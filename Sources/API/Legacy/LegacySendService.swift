internal import Domain
internal import Operations
internal import Postgres
internal import Reactor
internal import Tracing

/// Stores sends, straight-line, on any thread that has a connection.
struct LegacySendService: Sendable {
  let catalog: Catalog
  let clock: any Clock
  let hosting: ContentHosting
  let messageCommitted: @Sendable () -> Void
  let sends: SendLog

  /// The request that sends: for the log, and for the message's trace.
  struct Cause: Sendable {
    let requestID: String
    let trace: TraceContext?
  }

  func store(
    _ send: SendForm, _ key: String?, _ caller: Caller, _ connection: Connection, _ cause: Cause
  ) throws(LegacyRefusal) -> LegacyAnswer {
    let now = clock.wallMicroseconds
    var sendAt: String?
    do throws(Problem) {
      if let local = send.reservedFor {
        sendAt = try WallClockTime.sendAt(local, of: send.appID, on: connection, catalog: catalog)
      }
      var request = SendRequest(
        body: send.json(sendAt: sendAt), idempotencyKey: key, caller: caller, hosting: hosting, trace: cause.trace)
      request.door = .sdk
      guard case .accepted(let accepted) = try SendService.send(request, on: connection, catalog: catalog, now: now)
      else { preconditionFailure("a form asks for no dry run") }
      messageCommitted()
      sends.accepted(accepted.seqno, requestID: cause.requestID, isSingle: false)
      return SendReceipt(accepted, send).answer
    } catch {
      throw Self.refusal(error, sendAt: sendAt, now: now)
    }
  }

  /// A send to the users of the form's file, which is stored first.
  func csvSend(_ form: Form, _ caller: Caller, _ connection: Connection) throws(LegacyRefusal) -> SendForm {
    guard let file = form.files["UPLOAD_FILE"] else {
      throw LegacyRefusal(field: "upload_file", "is needed: a file of lines CUID,NAME[,VAR1…VAR9] in a multipart form")
    }
    // Checked first: a form with another fault must leave no file behind.
    let draft = try SendForm(form, audience: SendAudience(csv: 0, unknownUsers: 0))
    let stored: CSVUploads.Stored
    do throws(Problem) {
      // The same file is the same audience, so a repeated call requests the same message.
      stored = try CSVUploads.store(
        ByteSource(file), of: draft.appID, skipsFaults: false, by: caller, on: connection, now: clock.wallMicroseconds)
    } catch {
      throw LegacyRefusal(Problem(error.code, "upload_file: \(error.detail)"))
    }
    return try SendForm(form, audience: SendAudience(csv: stored.csv, unknownUsers: stored.unknownCount))
  }

  /// Reserved sends have their own codes for problems that would otherwise be `500`.
  private static func refusal(_ problem: Problem, sendAt: String?, now: Int64) -> LegacyRefusal {
    let refusal = LegacyRefusal(problem)
    guard let moment = sendAt.flatMap(Moment.microseconds), refusal.code == .serverError, refusal.status == 200 else {
      return refusal
    }
    let isLate = problem.fields.first?.pointer == "/sendAt" && moment < now
    return LegacyRefusal(isLate ? .reservedTooLate : .reservedFailed, problem.detail)
  }
}
