internal import Domain
internal import HTTPServer
package import Operations
package import Postgres
internal import Reactor

/// The admin API without HTTP, on the calling thread and its connection: the same endpoints, permission checks and
/// answers. Live views, the state of the server, and endpoints that require no permission (sign-in, sessions, second
/// factors) are unavailable, and refused with `.impossible`. Requests are not authenticated: all run as `caller`.
///
/// The command line uses it on a machine with access to the database. So each command is written once, as a request of
/// the admin API, whether a server or this type answers it. Decision 148.
package struct LocalAdminAPI {
  private let router = Endpoint.router(Endpoint.ofAdmin)
  private let connection: Connection
  private let caller: Caller
  private let resources: AdminResources

  /// Creates the API for one caller.
  package init(on connection: Connection, by caller: Caller, _ resources: AdminResources) {
    self.connection = connection
    self.caller = caller
    self.resources = resources
  }

  /// Runs a request. Blocks until it is done.
  /// - Parameters:
  ///   - method: HTTP method, such as `GET`.
  ///   - path: percent-encoded, such as `/v1/admin/apps`.
  ///   - query: percent-encoded, without the question mark; empty for none.
  ///   - headers: names in lower case.
  ///   - piece: called with each piece of an exported file, in order; the answer's body is then empty.
  /// - Returns: the HTTP status and the body, of refusals too. If reading an exported file fails, this is a problem,
  ///   although pieces may have been passed to `piece` before.
  package func answer(
    _ method: String, _ path: String, query: String, headers: [(name: String, value: String)], body: [UInt8],
    piece: ([UInt8]) -> Void
  ) -> (status: Int, body: [UInt8]) {
    let request = OwnedRequest(
      method: Method(rawValue: method) ?? .other, path: path, query: query, headers: headers, body: body)
    let response = answer(request, piece)
    return (response.status.code, response.body)
  }

  private func answer(_ request: OwnedRequest, _ piece: ([UInt8]) -> Void) -> Response {
    do throws(Problem) {
      switch router.match(request.method, request.path.utf8Span.span) {
      case .found(let endpoint, let parameters): return try serve(endpoint, request, parameters, piece)
      case .methodNotAllowed(let allowed):
        return .methodNotAllowed(allowed, requestID: request.id, in: request.language)
      case .notFound: throw Problem(.notFound, "No such path. The admin API is below /v1/admin.")
      }
    } catch {
      return .problem(error, requestID: request.id, in: request.language)
    }
  }

  private func serve(
    _ endpoint: Endpoint, _ request: OwnedRequest, _ parameters: PathParameters, _ piece: ([UInt8]) -> Void
  ) throws(Problem) -> Response {
    guard case .permission(let permission) = endpoint.access else {
      throw Problem(.impossible, "Signing in is for browsers.")
    }
    var caller = self.caller
    try caller.require(permission)
    caller.isChanging = endpoint.method != .get
    let query = try QueryParameters(request.query, known: endpoint.query) { Problem(.invalidField, $0) }
    let call = AdminCall(
      request: request, parameters: parameters, query: query, caller: caller, connection: connection,
      resources: resources)
    switch endpoint.handler {
    case .whole(let answer): return try answer(call)()
    case .pieces(_, let begin):
      guard case .file(var export) = try begin(call)() else {
        throw Problem(.impossible, "Numbers as they change come from a server.")
      }
      while let next = try export.next(on: connection) { piece(next) }
      return Response(status: .ok, headers: [("Content-Type", "text/csv; charset=utf-8")])
    case .device, .controller, .own: preconditionFailure("\(endpoint.id) is no endpoint of the admin API")
    }
  }
}
