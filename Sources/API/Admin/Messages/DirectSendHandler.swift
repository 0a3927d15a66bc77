internal import Domain
internal import Operations
internal import HTTPServer

/// `POST /v1/admin/messages` to named users, answered on the HTTP loop: an OTP shares its commit with its neighbours
/// instead of waiting for an admin thread. Whatever is not such a send is left to the threads, wrong ones included, and is
/// answered there.
struct DirectSendHandler {
  let catalog: Catalog
  let committer: Committer

  /// False when the request is not for here.
  func take(_ request: Request, _ responder: Responder) -> Bool {
    guard request.method == .post, request.pathEquals("/v1/admin/messages"), request.query.isEmpty,
      request.bodyCount <= AdminLimits.namedSendBytes,
      request.isPlainJSON,
      let token = request.bearerToken, let caller = catalog.caller(apiKey: token),
      let send = DirectSend(
        body: request.bodyBytes, idempotencyKey: request.header("idempotency-key"), caller: caller, catalog: catalog),
      committer.takesSends(send.lane)
    else { return false }
    let requestID = request.id
    committer.submit(.send(send)) { outcome in
      switch outcome {
      case .success(.sent(let accepted, _)): responder.send(.json(.accepted, SendAnswer.accepted(accepted)))
      case .success: preconditionFailure("a send is answered as a send")
      case .failure(let problem): responder.send(.problem(problem, requestID: requestID, isKept: false))
      }
    }
    return true
  }
}
