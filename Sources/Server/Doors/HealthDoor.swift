internal import Domain
package import HTTPServer
internal import JSON
internal import Receiver

/// `/health`: the process serves and its schema is current. `/ready`: it can deliver, and answer admin requests, as far as it
/// knows.
package final class HealthDoor {
  private let isConnected: () -> Bool
  private let isOutOfRoom: () -> Bool
  private let readiness: NodeReadiness

  /// - Parameters:
  ///   - isConnected: whether whoever asks would find the database, and get an answer of it.
  ///   - isOutOfRoom: whether the database has refused the last write for want of room.
  init(
    isConnected: @escaping () -> Bool, isOutOfRoom: @escaping () -> Bool = { false }, readiness: NodeReadiness
  ) {
    self.isConnected = isConnected
    self.isOutOfRoom = isOutOfRoom
    self.readiness = readiness
  }

  /// What it serves, for the test that holds the API's document against all doors.
  package static let routes: [(Method, String)] = [(.get, "/health"), (.get, "/ready")]

  static func isAsked(_ request: Request) -> Bool {
    request.pathEquals("/health") || request.pathEquals("/ready")
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      let problem = Problem(.methodNotAllowed, "Use GET, HEAD here.")
      return responder.send(Self.refusal(problem, ("Allow", "GET, HEAD"), request))
    }
    if request.pathEquals("/health") {
      responder.send(status: .ok, contentType: "application/json", body: "{\"status\":\"ok\"}")
    } else if isConnected(), !readiness.health.lacksConnections {
      var writer = JSONWriter()
      writer.object { readiness.write(to: &$0, isOutOfRoom: isOutOfRoom()) }
      responder.send(status: .ok, contentType: "application/json", body: writer.bytes)
    } else {
      let problem = Problem(
        .databaseAway,
        isConnected()
          ? "It gives no connection for admin requests: raise max_connections, or run fewer nodes."
          : "Send requests elsewhere, or try again in a moment.")
      responder.send(Self.refusal(problem, ("Retry-After", String(Receiver.Limits.retryAfterSeconds)), request))
    }
  }

  static func refusal(_ problem: Problem, _ header: (String, String), _ request: Request) -> Response {
    Response(
      status: Status(problem.code.status), headers: [("Content-Type", "application/problem+json"), header],
      body: problem.json(requestID: request.id))
  }
}
