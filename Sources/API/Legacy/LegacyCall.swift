internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor
internal import Tracing

/// One call of a controller: its form, and how to answer it.
struct LegacyCall {
  /// As answers name it: `rcv_get_service.ctl`.
  let service: String
  let form: Form
  let responder: Responder
  /// Sends answer with an object in BODY, all other calls with an array.
  let isSend: Bool
  /// Optional headers of servers: the bearer token, which is an API key, and the idempotency key.
  let bearer: String?
  let idempotencyKey: String?
  /// True when the caller's address is trusted to send.
  let isTrustedAddress: Bool
  /// Address counted by the limit of new devices; nil exempts the caller.
  let origin: IPAddress?
  /// The client's address, as far as the proxies in between are trusted.
  let address: IPAddress?
  /// From which the request's id is made.
  let number: UInt64
  /// What a message that it sends is traced below; nil: nothing.
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

  /// The hot path: most calls answer an empty row.
  func succeedQuietly() {
    responder.send(
      status: .ok, contentType: Envelope.contentType,
      body: Envelope.bytes(.ok, "OK", service: service, body: Envelope.emptyRow))
  }
}
