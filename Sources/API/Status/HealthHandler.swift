internal import Domain
package import HTTPServer
internal import JSON

/// Serves `GET /health` and `GET /ready`. `/health` always answers 200: a process serves requests only once its schema
/// is current. `/ready` answers 503 if device or admin requests would not reach the database, and otherwise 200 with
/// whatever else prevents pushes from being sent. Other methods than GET and HEAD get 405.
package final class HealthHandler {
  private let isConnected: () -> Bool
  private let isOutOfRoom: () -> Bool
  private let readiness: any ReadinessReport

  /// Creates the handler.
  /// - Parameters:
  ///   - isConnected: returns whether a device request would reach the database and be answered.
  ///   - isOutOfRoom: returns whether the database refused the last write for lack of disk space.
  package init(
    isConnected: @escaping () -> Bool, isOutOfRoom: @escaping () -> Bool = { false }, readiness: any ReadinessReport
  ) {
    self.isConnected = isConnected
    self.isOutOfRoom = isOutOfRoom
    self.readiness = readiness
  }

  package static func handles(_ request: Request) -> Bool {
    request.pathEquals("/health") || request.pathEquals("/ready")
  }

  package func handle(_ request: Request, _ responder: Responder) {
    switch request.method {
    case .get, .head: break
    default:
      return responder.send(.methodNotAllowed([.get, .head], requestID: request.id, in: request.language))
    }
    if request.pathEquals("/health") {
      responder.send(status: .ok, contentType: "application/json", body: "{\"status\":\"ok\"}")
    } else if isConnected(), !readiness.lacksConnections {
      responder.send(ReadinessAnswer.object, readiness.readiness(isOutOfRoom: isOutOfRoom()))
    } else {
      let problem = Problem(
        .databaseAway,
        isConnected()
          ? "It gives no connection for admin requests: raise max_connections, or run fewer nodes."
          : "Send requests elsewhere, or try again in a moment.")
      responder.send(problem, requestID: request.id, in: request.language)
    }
  }
}
