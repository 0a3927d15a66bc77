package import Domain
package import Operations
internal import HTTPServer

/// `POST /v1/admin/messages` to named users, answered on the HTTP loop: an OTP shares its commit with its neighbours
/// instead of waiting for an admin thread. Whatever is not such a send is left to the threads, wrong ones included, and is
/// answered there.
package struct NamedSendDoor {
  /// Hands a send to the loop's committer; the completion is called on the loop's thread.
  package typealias Submit = (NamedSend, @escaping (Result<SendAnswer.Accepted, Problem>) -> Void) -> Void

  private let catalog: Catalog
  private let isOpen: (Lane) -> Bool
  private let submit: Submit

  package init(catalog: Catalog, isOpen: @escaping (Lane) -> Bool, submit: @escaping Submit) {
    self.catalog = catalog
    self.isOpen = isOpen
    self.submit = submit
  }

  /// False when the request is not for here.
  func take(_ request: Request, _ responder: Responder) -> Bool {
    guard request.method == .post, request.pathEquals("/v1/admin/messages"), request.query.isEmpty,
      request.bodyCount <= Admin.Limits.namedSendBytes,
      request.isPlainJSON,
      let token = request.bearerToken, let caller = catalog.caller(apiKey: token),
      let send = NamedSend(
        body: request.bodyBytes, idempotencyKey: request.header("idempotency-key"), caller: caller, catalog: catalog),
      isOpen(send.lane)
    else { return false }
    let requestID = request.id
    submit(send) { outcome in
      switch outcome {
      case .success(let accepted): responder.send(.json(.accepted, SendAnswer.accepted(accepted)))
      case .failure(let problem): responder.send(.problem(problem, requestID: requestID))
      }
    }
    return true
  }
}
