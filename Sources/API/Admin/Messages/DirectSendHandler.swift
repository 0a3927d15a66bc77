internal import Domain
internal import Operations
internal import HTTPServer

/// Handles `POST /v1/admin/messages` for named users on the HTTP loop, so that an urgent message, such as a one-time
/// code, shares its commit with concurrent operations instead of waiting for an admin thread. All other requests,
/// including invalid ones, are left to the threads.
struct DirectSendHandler {
  let catalog: Catalog
  let committer: Committer
  private let log = SendLog()

  init(catalog: Catalog, committer: Committer) {
    self.catalog = catalog
    self.committer = committer
  }

  /// Submits the send if it is a valid and ordinary one to named users (as `DirectSend.init` defines), short, and made
  /// with an API key in the catalog, and answers the request after the commit. Returns false, without answering, for
  /// all other requests, and if the committer does not accept the send at the moment.
  func take(_ request: Request, _ responder: Responder) -> Bool {
    guard request.method == .post, request.pathEquals("/v1/admin/messages"), request.query.isEmpty,
      request.bodyCount <= AdminLimits.namedSendBytes,
      request.isPlainJSON,
      let token = request.bearerToken, let caller = catalog.caller(apiKey: token),
      let send = DirectSend(
        body: request.bodyBytes, idempotencyKey: request.header("idempotency-key"), caller: caller, catalog: catalog,
        trace: request.trace),
      committer.takesSends(send.lane)
    else { return false }
    request.follows("/v1/admin/messages")
    let (number, language) = (request.number, request.language)
    committer.submit(.send(send), trace: responder.span) { outcome in
      switch outcome {
      case .success(.sent(let accepted, _)):
        log.accepted(accepted.seqno, requestID: Request.id(of: number), isSingle: true)
        responder.send(.json(.accepted, SendAnswer.accepted(accepted)))
      case .success: preconditionFailure("a send is answered as a send")
      case .failure(let problem):
        responder.send(.problem(problem, requestID: Request.id(of: number), isKept: false, in: language))
      }
    }
    return true
  }
}
