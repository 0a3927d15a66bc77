internal import Domain
internal import HTTPServer
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Time

/// The loop of one admin thread: takes a request from its queue, routes it, authenticates its caller, runs the
/// endpoint, and answers. The queue also contains credentials to check and calls of the legacy API (`AdminWork.Kind`).
/// Worker and connection are confined to the thread.
final class AdminWorker {
  private let resources: AdminResources
  private let queue: AdminQueue
  private let router = Endpoint.router(Endpoint.ofAdmin)
  private let log = Logger(label: "admin")
  private let connection: OwnConnection
  /// False after this thread could not reach the database or lost the connection, until one of its requests reaches the
  /// database again.
  private var isConnected = true

  /// Creates the worker of a thread.
  /// - Parameter canceller: lets other threads cancel this thread's running statement.
  init(_ resources: AdminResources, queue: AdminQueue, canceller: Canceller) {
    self.resources = resources
    self.queue = queue
    var options = AdminLimits.connectionOptions("admin", statementTimeout: AdminLimits.statementTimeout)
    options.canceller = canceller
    connection = OwnConnection(resources.databaseURL, options)
  }

  /// Connects, then handles requests until the queue is closed and empty. Blocks the thread.
  func run() {
    _ = try? connected()
    while let work = queue.take() {
      let response =
        switch work.kind {
        case .request(let request): answer(request, work.ticket)
        case .proof(let credential, let requestID, let language): prove(credential, requestID, language, work.ticket)
        case .job(let job, _): Optional(job(attempt()))
        }
      // This fails if the HTTP server has stopped; the client then gets no answer.
      if let response { _ = work.ticket.send(response) }
      queue.finish(work)
    }
  }

  /// Returns the response to a request, including refusals; nil if the answer is streamed by `AdminStreams`.
  private func answer(_ request: OwnedRequest, _ ticket: ResponseTicket) -> Response? {
    do throws(Problem) {
      if queue.isCut { throw Self.isStopping }
      switch router.match(request.method, request.path.utf8Span.span) {
      case .found(let endpoint, let parameters): return try serve(endpoint, request, parameters, ticket)
      case .methodNotAllowed(let allowed):
        return .methodNotAllowed(allowed, requestID: request.id, isKept: false, in: request.language)
      case .notFound: throw Problem(.notFound, "No such path. The admin API is below /v1/admin.")
      }
    } catch {
      // A read changes nothing, so its outcome is never unknown.
      let isQuestion = request.method == .get || request.method == .head
      guard isQuestion, error.code == .outcomeUnknown else { return refusal(error, request.id, request.language) }
      let away = Problem(.databaseAway, "The database does not answer. Try again in a moment.")
      return refusal(away, request.id, request.language)
    }
  }

  /// Authenticates a credential before the long body of its request is read. If it is valid, admits the body and
  /// returns nil; otherwise, and if the database is unreachable or the server is stopping, returns the refusal.
  private func prove(
    _ credential: Credential, _ requestID: String, _ language: SpokenLanguage, _ ticket: ResponseTicket
  ) -> Response? {
    do throws(Problem) {
      if queue.isCut { throw Self.isStopping }
      _ = try authenticate(credential, on: try connected())
      ticket.admitBody()
      return nil
    } catch {
      return refusal(error, requestID, language)
    }
  }

  private func refusal(_ error: Problem, _ requestID: String, _ language: SpokenLanguage) -> Response {
    if error.code == .databaseAway || error.code == .outcomeUnknown { note(isConnected: false) }
    // If a statement was cancelled because the server is stopping, report that as the reason.
    let error = queue.isCut && error.code == .busy ? Self.isStopping : error
    if error.code.status >= 500 {
      var metadata: Logger.Metadata = [
        "requestId": "\(requestID)", "code": "\(error.code.rawValue)", "detail": "\(error.detail)",
      ]
      if error.code == .databaseAway { metadata["fault"] = "\(FailureDetails.away)" }
      log.error("a request failed", metadata: metadata)
    }
    return .problem(error, requestID: requestID, isKept: false, in: language)
  }

  private func serve(
    _ endpoint: Endpoint, _ request: OwnedRequest, _ parameters: PathParameters, _ ticket: ResponseTicket
  ) throws(Problem) -> Response? {
    let credential = Credential(in: request.headers, isSecure: resources.isSecure)
    if endpoint.access.needsCaller, credential == nil { throw AdminCall.noCredential }
    let connection = try connected()
    defer { if connection.isConnected { note(isConnected: true) } }
    var caller = Caller.nobody
    if endpoint.access.needsCaller, let credential {
      caller = try admit(request, credential, to: endpoint, on: connection)
    } else if !resources.console.policy.admits(request.clientAddress) {
      throw try strangeAddress(request, on: connection)
    }
    caller.origin = Self.origin(of: request)
    caller.requestID = request.id
    caller.isChanging = endpoint.method != .get
    let query = try QueryParameters(request.query, known: endpoint.query) { Problem(.invalidField, $0) }
    let call = AdminCall(
      request: request, parameters: parameters, query: query, caller: caller, session: credential?.session,
      connection: connection, resources: resources)
    switch endpoint.handler {
    case .whole(let answer):
      let response = try answer(call)()
      if endpoint.method != .get, response.status.code < 300 { tell(endpoint, call, response) }
      return response
    case .device, .controller, .own: preconditionFailure("\(endpoint.id) is no endpoint of the admin API")
    case .pieces(let kind, let begin):
      // Reserve the place before `begin`, which records an export in the audit log: a request that is refused for lack
      // of a place must leave no entry.
      guard let streams = resources.streams else { preconditionFailure("a server writes answers in pieces") }
      let place = try streams.place(kind, for: QuotaHolder(caller, address: nil))
      let source = try begin(call)()
      guard streams.open(kind, source, place, ticket, isHead: request.method == .head) else {
        throw Problem(.busy, "This server is stopping. Try again in a moment.")
      }
      return nil
    }
  }

  /// Logs that a changing request was carried out: endpoint, caller, status, and the SEQNO or app in the path.
  private func tell(_ endpoint: Endpoint, _ call: AdminCall, _ response: Response) {
    var metadata: Logger.Metadata = [
      "operation": "\(endpoint.id)", "caller": "\(call.caller.name)", "requestId": "\(call.request.id)",
      "status": .stringConvertible(response.status.code),
    ]
    // Never log a person whom the request names, because logs are kept for longer than personal data.
    if let seqno = call.parameters.value(of: "seqno").flatMap(Int64.init) {
      metadata["seqno"] = .stringConvertible(seqno)
    }
    if let app = call.parameters.value(of: "appId") { metadata["app"] = "\(app)" }
    log.info("carried out", metadata: metadata)
  }

  private static func origin(of request: OwnedRequest) -> String {
    request.clientAddress?.description ?? request.remoteAddress.host
  }

  /// Authenticates the request by API key or console session, and returns its caller.
  /// - Throws: `.badCredential` if the credential is not valid. `.forbidden` for a session whose client address may not
  ///   use the console, or, unless the method is GET or HEAD, that has no valid CSRF token. If the endpoint requires a
  ///   permission, also `.forbidden` if the role lacks it, or the account lacks a second factor that the role requires,
  ///   and `.freshSignInNeeded`.
  private func admit(
    _ request: OwnedRequest, _ credential: Credential, to endpoint: Endpoint, on connection: Connection
  ) throws(Problem) -> Caller {
    let visit = try authenticate(credential, on: connection)
    if let session = credential.session {
      guard resources.console.policy.admits(request.clientAddress) else {
        throw try strangeAddress(request, on: connection)
      }
      if request.method != .get, request.method != .head {
        try SignInService.checkCSRF(request.header("x-csrf-token"), of: session)
      }
    }
    if case .permission(let permission) = endpoint.access {
      guard !visit.lacksFactor else {
        throw Problem(.forbidden, "The role \(visit.caller.role.rawValue) needs a second factor. Set it up first.")
      }
      try visit.caller.require(permission)
      if endpoint.needsFreshSignIn { try visit.requireFreshSignIn(now: resources.clock.wallTime) }
    }
    return visit.caller
  }

  private func strangeAddress(_ request: OwnedRequest, on connection: Connection) throws(Problem) -> Problem {
    try SignInService.refuseAddress(
      origin: Self.origin(of: request), requestID: request.id, on: connection, now: resources.clock.wallTime)
  }

  private func authenticate(
    _ credential: Credential, on connection: Connection
  ) throws(Problem) -> SignInService.Visit {
    do throws(Problem) {
      let visit =
        switch credential {
        case .apiKey(let key):
          SignInService.Visit(apiKey: try Authorization.authenticate(key, on: connection))
        case .session(let session):
          try SignInService.authenticate(
            session: session, resources.console.policy, on: connection, now: resources.clock.wallTime)
        }
      resources.known.note(credential, visit.caller)
      if let key = visit.caller.apiKey { resources.catalog.noteUse(of: key) }
      return visit
    } catch {
      // Only the authentication was interrupted; the request itself had not started.
      if error.code == .outcomeUnknown {
        throw Problem(.databaseAway, "Nothing of it was carried out. Try again in a moment.")
      }
      if error.code == .badCredential { resources.known.forget(credential) }
      throw error
    }
  }

  private static var isStopping: Problem {
    Problem(.busy, "This server is stopping, and nothing of the request was applied. Send it again in a moment.")
  }

  private func attempt() -> Result<Connection, Problem> {
    if queue.isCut { return .failure(Self.isStopping) }
    do throws(Problem) {
      return .success(try connected())
    } catch {
      return .failure(error)
    }
  }

  private func note(isConnected now: Bool) {
    // Report `false` every time: the node's own check of the database also reports recoveries, without this thread
    // learning of them.
    if !now || !isConnected { resources.isConnected(now) }
    isConnected = now
  }

  private func connected() throws(Problem) -> Connection {
    do throws(PostgresError) {
      return try connection.present()
    } catch {
      note(isConnected: false)
      throw Problem(error)
    }
  }
}
