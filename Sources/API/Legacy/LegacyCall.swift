internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor
internal import Tracing

/// One call of the protocol: its form, what the request reveals about its caller, and the responder to answer it.
struct LegacyCall {
  /// Name of the call, which answers repeat, such as `rcv_get_service.ctl`.
  let service: String
  let form: Form
  let responder: Responder
  /// True for calls of servers (`Controller.isForServers`), whose refusals have an empty object as BODY; those of all
  /// other calls have an empty array.
  let isSend: Bool
  /// Bearer token of the Authorization header, which is a server's API key; nil if there is none.
  let bearer: String?
  /// Value of the header Idempotency-Key, which sends can have; nil if absent.
  let idempotencyKey: String?
  /// True if the call is one of servers, and the caller's address is trusted, so that it needs no API key.
  let isTrustedAddress: Bool
  /// Address to which the limit of new devices applies; nil for callers that are exempt or have no address.
  let origin: IPAddress?
  /// The client's address, following trusted proxies; nil for a Unix socket.
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

  /// Answers with success and one empty row, as most calls do. Faster than `succeed`, because it adds no Cache-Control
  /// header; the answer contains no key.
  func succeedQuietly() {
    responder.send(
      status: .ok, contentType: Envelope.contentType,
      body: Envelope.bytes(.ok, "OK", service: service, body: Envelope.emptyRow))
  }
}
