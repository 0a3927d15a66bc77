internal import HTTP2

/// An answer in the making: to which stream, and what. May be sent at once, later, or never.
struct Reply {
  enum Content {
    /// 200.
    case accepted
    case rejected(Effect.Answer, timestampMilliseconds: Int64?)
    case shaped(Effect.Shape)
  }

  let stream: ServerStream
  /// Streams are reused: an answer that comes late must find the same one.
  let streamID: Int32
  let id: MessageID
  /// For the delivery log of the Push Notifications Console; only in the sandbox.
  let uniqueID: MessageID?
  let content: Content

  /// Submits it to the session, unless the client took the stream back.
  func send(on session: ServerSession) {
    guard stream.id == streamID, !stream.isClosed else { return }
    switch content {
    case .accepted:
      guard uniqueID == nil else { return session.respond(to: stream, status: 200, fields: idFields) }
      let text = id.text
      session.respond(to: stream, status: 200, name: "apns-id", value: text.span)
    case .rejected(let answer, let timestamp):
      let body = AnswerBody.json(reason: answer.reason, timestampMilliseconds: timestamp)
      session.respond(to: stream, status: answer.status, fields: errorFields(answer), body: body)
    case .shaped(let shape): send(shape, on: session)
    }
  }

  private func send(_ shape: Effect.Shape, on session: ServerSession) {
    switch shape {
    case .split:
      let answer = Effect.Answer(.tooManyRequests)
      let body = AnswerBody.json(reason: answer.reason, timestampMilliseconds: nil)
      session.respond(to: stream, status: answer.status, fields: errorFields(answer), body: body, chunkBytes: 1)
    case .interim:
      session.inform(stream, status: 103, fields: [HeaderField("link", "</>; rel=preload")])
      session.respond(to: stream, status: 200, fields: idFields)
    case .text:
      let fields = [HeaderField("content-type", "text/html")]
      session.respond(to: stream, status: 503, fields: fields, body: Array("<h1>503 Service Unavailable</h1>".utf8))
    case .empty: session.respond(to: stream, status: 500, fields: idFields)
    case .withoutID: session.respond(to: stream, status: 200)
    case .extraHeaders:
      let extra = [HeaderField("x-apns-trace", "0123456789abcdef"), HeaderField("server-timing", "push;dur=1")]
      session.respond(to: stream, status: 200, fields: extra + idFields + extra)
    }
  }

  private var idFields: [HeaderField] {
    let own = [HeaderField("apns-id", id.description)]
    return uniqueID.map { own + [HeaderField("apns-unique-id", $0.description)] } ?? own
  }

  private func errorFields(_ answer: Effect.Answer) -> [HeaderField] {
    let fields = [HeaderField("content-type", "application/json")] + idFields
    return answer.retryAfterSeconds.map { fields + [HeaderField("retry-after", String($0))] } ?? fields
  }
}
