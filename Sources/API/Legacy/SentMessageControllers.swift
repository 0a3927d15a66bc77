internal import Domain
internal import JSON
internal import Operations
internal import Reactor
internal import Time

/// Calls that cancel a reserved message, resend a message, and report a message's numbers.
extension LegacyHandler {
  func cancelReservation(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let seqno = try call.form.seqno("RESERVE_SEQNO")
    let clock = loop.clock
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let answer = try Self.refusing { () throws(Problem) in
        try ControlService.control(.cancel, seqno, for: caller, on: connection, now: clock.wallTime)
      }
      return Self.answer(answer)
    }
  }

  /// Resends a message according to RETRY_TYPE: to the devices that it did not reach (1), that have not received it
  /// (2), or that have not read it (3). Answers with the number of the new message, and its number of devices.
  func retryMessage(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let seqno = try call.form.seqno("SEQNO")
    let target = try Self.target(call.form)
    let pace = try SendForm.pace(call.form)
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("to", target.name)
      if let pace { writer.member("pace", object: pace.write) }
    }
    let (body, key, office) = (writer.bytes, call.idempotencyKey, sendOffice)
    let cause = LegacySendService.Cause(requestID: call.requestID, trace: call.trace)
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let accepted = try office.resend(seqno, body, key, caller, connection, cause)
      return LegacyAnswer { writer in
        writer.object { writer in
          writer.member("SENDMSG_SEQNO", String(accepted.seqno))
          writer.member("REG_SUCCESS_CNT", accepted.targeted)
        }
      }
    }
  }

  private static func target(_ form: Form) throws(LegacyRefusal) -> ResendTarget {
    guard let type = form["RETRY_TYPE"] else { throw LegacyRefusal(field: "RETRY_TYPE", "is needed") }
    switch type.lowercased() {
    case "1", "f", "fail", "failed": return .failed
    case "2", "ack", "not-received": return .notReceived
    case "3", "read", "not-read": return .notRead
    default:
      throw LegacyRefusal(field: "RETRY_TYPE", "must be 1 (failed), 2 (not received) or 3 (not read)")
    }
  }

  func showMessage(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let seqno = try call.form.seqno("SEQNO")
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let answer = try Self.refusing { () throws(Problem) in
        try ReportService.funnel(seqno, for: caller, on: connection)
      }
      return Self.answer(answer)
    }
  }

  /// Returns an answer with the message's numbers, and in RESULT the message's outcome as a code of this protocol.
  private static func answer(_ answer: ReportService.FunnelAnswer) -> LegacyAnswer {
    let funnel = answer.funnel
    return LegacyAnswer { writer in
      writer.object { writer in
        writer.member("SEQNO", String(funnel.seqno))
        writer.member("STATUS", funnel.state.name)
        writer.member("RESULT", result(answer).rawValue)
        writer.member("TOTAL_CNT", funnel.targeted)
        writer.member("WAIT_CNT", funnel.pending)
        writer.member("SEND_CNT", funnel.accepted)
        writer.member("FAIL_CNT", funnel.rejected + funnel.expired + funnel.skipped)
        writer.member("CANCEL_CNT", funnel.cancelled)
        writer.member("ACK_CNT", funnel.received)
        writer.member("READ_CNT", funnel.read)
        if let reference = funnel.reference.flatMap({ SenderReference(json: Array($0.utf8)) }) {
          SendReceipt.write(reference, to: &writer)
        }
      }
    }
  }

  private static func result(_ answer: ReportService.FunnelAnswer) -> ResultCode {
    let funnel = answer.funnel
    let isReserved = funnel.dueAt != nil
    switch funnel.state {
    case .completed where funnel.targeted == 0:
      return isReserved ? .reservedTargetNotRegistered : .targetNotRegistered
    case .failed where isReserved && answer.cameTooLate: return .reservedTooLate
    case .failed: return isReserved ? .reservedFailed : .serverError
    default: return .ok
    }
  }
}
