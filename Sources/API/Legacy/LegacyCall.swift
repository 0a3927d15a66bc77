internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor
internal import Tracing

/// One call of the protocol: its form, its caller, and the means to answer it.
struct LegacyCall {
  /// Name of the call, as answers repeat it: `rcv_get_service.ctl`.
  let service: String
  let form: Form
  let responder: Responder
  /// True for sends, whose answers have an object as BODY; those of all other calls have an array.
  let isSend: Bool
  /// Optional headers that servers send: the bearer token, which is an API key, and the idempotency key.
  let bearer: String?
  let idempotencyKey: String?
  /// True when the caller may send because of its address.
  let isTrustedAddress: Bool
  /// Address to which the limit of new devices applies; nil for callers without a limit.
  let origin: IPAddress?
  /// The client's address, as far as the proxies in between are trusted.
  let address: IPAddress?
  /// Number from which the request's id is derived.
  let number: UInt64
  /// Parent of the spans of a message that the call sends; nil if it is not traced.
  let trace: TraceContext?

  var requestID: String { Request.id(of: number) }

  func succeed(_ body: Envelope.Body = Envelope.emptyRow) {
    responder.send(Envelope.success(service: service, body: body))
  }

  func answer(_ answer: LegacyAnswer) {
    responder.send(Envelope.response(answer, service: service))
  }

  func refuse(_ refusal: LegacyRefusal) {
    responder.send(Envelope.refusal(refusal, service: service, isSend: isSend))
  }

  /// Answers success with one empty row, as most calls do. Faster than `succeed`, because it adds no headers.
  func succeedQuietly() {
    responder.send(
      status: .ok, contentType: Envelope.contentType,
      body: Envelope.bytes(.ok, "OK", service: service, body: Envelope.emptyRow))
  }
}
