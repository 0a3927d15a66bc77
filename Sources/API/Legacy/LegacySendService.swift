internal import Domain
internal import Operations
internal import Postgres
internal import Reactor
internal import Time
internal import Tracing

/// Stores the messages of sends that do not go through a committer. Callable on any thread that has a database
/// connection.
struct LegacySendService: Sendable {
  let catalog: Catalog
  let clock: any Clock
  let hosting: ContentHosting
  let messageCommitted: @Sendable () -> Void
  let sends: SendLog

  /// The request that causes a send, for the log and for the message's trace.
  struct Cause: Sendable {
    let requestID: String
    let trace: TraceContext?
  }

  func store(
    _ send: SendForm, _ key: String?, _ caller: Caller, _ connection: Connection, _ cause: Cause
  ) throws(LegacyRefusal) -> LegacyAnswer {
    let now = clock.wallTime
    var sendAt: String?
    do throws(Problem) {
      if let local = send.reservedFor {
        sendAt = try WallClockTime.sendAt(local, of: send.appID, on: connection, catalog: catalog)
      }
      var request = SendRequest(
        body: send.json(sendAt: sendAt), idempotencyKey: key, caller: caller, hosting: hosting, trace: cause.trace)
      request.interface = .sdk
      let answer = try SendService.send(request, on: connection, catalog: catalog, now: now)
      return SendReceipt(announce(answer, cause), send).answer
    } catch {
      throw Self.refusal(error, sendAt: sendAt, now: now)
    }
  }

  /// Resends a message.
  /// - Parameter body: a `ResendService.Options` as JSON.
  func resend(
    _ seqno: Seqno, _ body: [UInt8], _ key: String?, _ caller: Caller, _ connection: Connection, _ cause: Cause
  ) throws(LegacyRefusal) -> SendAnswer.Accepted {
    let request = SendRequest(body: body, idempotencyKey: key, caller: caller, hosting: hosting, trace: cause.trace)
    do throws(Problem) {
      let answer = try ResendService.resend(
        seqno, request, on: connection, catalog: catalog, now: clock.wallTime)
      return announce(answer, cause)
    } catch {
      throw LegacyRefusal(error)
    }
  }

  /// Wakes the dispatcher for a stored message, logs the message as accepted, and returns it.
  private func announce(_ answer: SendAnswer, _ cause: Cause) -> SendAnswer.Accepted {
    // Only a person's message waits for approval, and a server is none.
    guard case .accepted(let accepted) = answer else { preconditionFailure("a form asks for no dry run") }
    messageCommitted()
    sends.accepted(accepted.seqno, requestID: cause.requestID, isSingle: false)
    return accepted
  }

  /// Stores the form's file as an audience, and returns the send to its users.
  /// - Throws: if the form is invalid or has no file, before anything is stored, or if the file cannot be stored.
  func csvSend(_ form: Form, _ caller: Caller, _ connection: Connection) throws(LegacyRefusal) -> SendForm {
    guard let file = form.files["UPLOAD_FILE"] else {
      throw LegacyRefusal(field: "upload_file", "is needed: a file of lines CUID,NAME[,VAR1…VAR9] in a multipart form")
    }
    // Check the rest of the form first, so that a faulty one leaves no file behind.
    let draft = try SendForm(form, audience: SendAudience(csv: 0, unknownUsers: 0))
    let stored: CSVUploads.Stored
    do throws(Problem) {
      // The same file gives the same audience, so that a call repeated with its idempotency key finds its message.
      stored = try CSVUploads.store(
        ByteSource(file), of: draft.appID, skipsFaults: nil, by: caller, on: connection, now: clock.wallTime)
    } catch {
      guard !error.isOfDeletedApp else { throw LegacyRefusal(error) }
      throw LegacyRefusal(Problem(error.code, "upload_file: \(error.sentence)"))
    }
    return try SendForm(form, audience: SendAudience(csv: stored.csv, unknownUsers: stored.unknownCount))
  }

  /// Returns the refusal for a problem. For a reserved send, code `500` with HTTP 200 is replaced: with `5500` if the
  /// problem is that the reserved time has passed, and otherwise with `5600`.
  /// - Parameter sendAt: the reserved time; nil for other sends, or if it could not be determined.
  private static func refusal(_ problem: Problem, sendAt: String?, now: Timestamp) -> LegacyRefusal {
    let refusal = LegacyRefusal(problem)
    guard let moment = sendAt.flatMap({ Timestamp($0) }), refusal.code == .serverError, refusal.status == 200 else {
      return refusal
    }
    let isLate = problem.fields.first?.pointer == "/sendAt" && moment < now
    return LegacyRefusal(isLate ? .reservedTooLate : .reservedFailed, problem.detail)
  }
}
