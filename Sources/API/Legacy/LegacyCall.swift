internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// One call of a controller: its form, and the way to answer.
struct LegacyCall {
  /// As answers name it, for example `rcv_get_service.ctl`.
  let service: String
  let form: Form
  let responder: Responder
  /// Sends answer an object, all others an array.
  let isSend: Bool
  /// The bearer token of the Authorization header, and the idempotency key, which servers may send.
  let bearer: String?
  let idempotencyKey: String?
  /// True when the caller's address is one of those that may send.
  let isTrustedAddress: Bool
  /// The address that the limit of new devices counts; nil exempts the caller.
  let origin: IPAddress?
  /// The client's, as far as those in between are trusted.
  let address: IPAddress?

  func succeed(_ body: Envelope.Body = Envelope.emptyRow) {
    responder.send(Envelope.success(service: service, body: body))
  }

  func answer(_ answer: LegacyAnswer) {
    responder.send(Envelope.response(answer, service: service))
  }

  func refuse(_ refusal: LegacyRefusal) {
    responder.send(Envelope.refusal(refusal, service: service, isSend: isSend))
  }

  /// The hot path: what most calls answer.
  func succeedQuietly() {
    responder.send(
      status: .ok, contentType: Envelope.contentType,
      body: Envelope.bytes(.ok, "OK", service: service, body: Envelope.emptyRow))
  }
}
