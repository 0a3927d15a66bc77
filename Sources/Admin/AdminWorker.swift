internal import Domain
internal import HTTPServer
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor

/// What one admin thread does: takes a request, routes it, finds out who asks, runs the endpoint, answers. Lives on its
/// thread, as does its connection.
final class AdminWorker {
  /// What the threads share.
  struct Resources: Sendable {
    let databaseURL: String
    let catalog: Catalog
    /// Seals credentials; nil where none come in.
    let master: MasterKey?
    let clock: any Clock
    let hosting: Hosting
    let messageCommitted: @Sendable () -> Void
  }

  private let resources: Resources
  private let queue: AdminQueue
  private let router = AdminRoute.router()
  private let log = Logger(label: "admin")
  private var connection: Connection?

  init(_ resources: Resources, queue: AdminQueue) {
    self.resources = resources
    self.queue = queue
  }

  /// Serves until the queue is closed.
  func run() {
    while let work = queue.take() {
      // False when the server has stopped meanwhile: nobody waits for this answer any more.
      let response =
        switch work.errand {
        case .request(let request): answer(request)
        case .job(let job): job(attempt())
        }
      _ = work.ticket.send(response)
    }
  }

  private func answer(_ request: OwnedRequest) -> Response {
    do throws(Problem) {
      switch router.match(request.method, request.path.utf8Span.span) {
      case .found(let route, let parameters): return try serve(route, request, parameters)
      case .methodNotAllowed(let allowed): return .methodNotAllowed(allowed, requestID: request.id)
      case .notFound: throw Problem(.notFound, "No such path. The admin API is below /v1/admin.")
      }
    } catch {
      if error.code.status >= 500 {
        log.error(
          "a request failed",
          metadata: ["requestId": "\(request.id)", "code": "\(error.code.rawValue)", "detail": "\(error.detail)"])
      }
      return .problem(error, requestID: request.id)
    }
  }

  private func serve(
    _ route: AdminRoute, _ request: OwnedRequest, _ parameters: PathParameters
  ) throws(Problem) -> Response {
    let token = try AdminCall.bearer(request)
    let connection = try connected()
    let caller = try Authorization.authenticate(token, on: connection)
    try caller.require(route.permission)
    let call = AdminCall(
      request: request, parameters: parameters, caller: caller, connection: connection, resources: resources)
    return try route.endpoint(call)
  }

  private func attempt() -> Result<Connection, Problem> {
    do throws(Problem) {
      return .success(try connected())
    } catch {
      return .failure(error)
    }
  }

  /// This thread's connection. Once made it finds its way back by itself after a failure.
  private func connected() throws(Problem) -> Connection {
    if let connection { return connection }
    do throws(PostgresError) {
      var options = ConnectionOptions()
      options.applicationName = "upmc admin"
      options.statementTimeout = Admin.Limits.statementTimeout
      let made = try Connection(resources.databaseURL, options: options)
      connection = made
      return made
    } catch {
      throw Problem(error)
    }
  }
}
