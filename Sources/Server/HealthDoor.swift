internal import HTTPServer
internal import Receiver

/// `/health`: the process serves and its schema is current. `/ready`: it can reach its database.
final class HealthDoor {
  private let committer: Committer

  init(committer: Committer) {
    self.committer = committer
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed(allow: [.get, .head]))
    }
    if request.pathEquals("/health") || committer.isConnected {
      responder.send(status: .ok, contentType: "application/json", body: "{\"status\":\"ok\"}")
    } else {
      responder.send(
        status: .serviceUnavailable, contentType: "application/json",
        body: "{\"status\":\"unavailable\",\"detail\":\"The database cannot be reached.\"}")
    }
  }
}
