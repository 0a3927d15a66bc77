internal import Domain
package import HTTPServer
internal import Receiver

/// `/health`: the process serves and its schema is current. `/ready`: it can reach its database.
package final class HealthDoor {
  private let committer: Committer

  init(committer: Committer) {
    self.committer = committer
  }

  /// What it serves, for the test that holds the API's document against all doors.
  package static let routes: [(Method, String)] = [(.get, "/health"), (.get, "/ready")]

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      let problem = Problem(.methodNotAllowed, "Use GET, HEAD here.")
      return responder.send(Self.refusal(problem, ("Allow", "GET, HEAD"), request))
    }
    if request.pathEquals("/health") || committer.isConnected {
      responder.send(status: .ok, contentType: "application/json", body: "{\"status\":\"ok\"}")
    } else {
      let problem = Problem(.databaseAway, "Send requests elsewhere, or try again in a moment.")
      responder.send(Self.refusal(problem, ("Retry-After", String(Receiver.Limits.retryAfterSeconds)), request))
    }
  }

  private static func refusal(_ problem: Problem, _ header: (String, String), _ request: Request) -> Response {
    Response(
      status: Status(problem.code.status), headers: [("Content-Type", "application/problem+json"), header],
      body: problem.json(requestID: request.id))
  }
}
