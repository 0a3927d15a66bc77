internal import Domain
internal import HTTPServer
internal import Logging
internal import Operations

/// `POST /v1/admin/messages`: sends a message, or tries it out (`dryRun`).
extension AdminCall {
  func send() throws(Problem) -> Response {
    let answer = try SendService.send(
      SendRequest(
        body: try jsonBody(), idempotencyKey: request.header("idempotency-key"), caller: caller,
        hosting: resources.hosting),
      on: connection, catalog: resources.catalog, now: now)
    switch answer {
    case .accepted(let accepted):
      resources.messageCommitted()
      resources.log.info(
        "message accepted", metadata: ["requestId": "\(request.id)", "seqno": "\(accepted.seqno)"])
      return .json(.accepted, answer)
    case .waiting: return .json(.accepted, answer)
    case .tried:
      return .json(.ok, answer)
    }
  }
}
