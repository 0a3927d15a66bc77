internal import Domain
internal import HTTPServer
internal import Operations

/// `POST /v1/admin/messages/{seqno}/pause|resume|cancel`, `PATCH /v1/admin/messages/{seqno}` and
/// `POST /v1/admin/messages/{seqno}/resend`: a message on its way. The first answer with the message's numbers, the last
/// as a send does.
extension AdminCall {
  func pause() throws(Problem) -> Response { try control(.pause) }
  func resume() throws(Problem) -> Response { try control(.resume) }
  func cancel() throws(Problem) -> Response { try control(.cancel) }

  private func control(_ control: MessageControl) throws(Problem) -> Response {
    .json(
      .ok,
      try ControlService.control(
        control, try seqno(), for: caller, on: connection, now: now))
  }

  func setPace() throws(Problem) -> Response {
    let pace = try ControlService.readPace(json: try jsonBody())
    return .json(.ok, try ControlService.setPace(pace, of: try seqno(), for: caller, on: connection))
  }

  func resend() throws(Problem) -> Response {
    let answer = try ResendService.resend(
      try seqno(),
      SendRequest(
        body: try jsonBody(), idempotencyKey: request.header("idempotency-key"), caller: caller,
        hosting: resources.hosting),
      on: connection, catalog: resources.catalog, now: now)
    resources.messageCommitted()
    return .json(.accepted, answer)
  }
}
