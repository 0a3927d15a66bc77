internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor

/// Calls from servers: authenticates them, and runs them on an admin thread.
extension LegacyHandler {
  /// A calling server whose identity is known, or whose API key must still be verified.
  enum Server: Sendable {
    /// Known by its trusted address, or by an API key in the catalog.
    case known(Caller)
    /// Has an API key that the catalog does not contain, so that only the database can verify it.
    case key(String)

    /// The caller whose quota is used while the call waits for a thread; nil if its key is not verified yet.
    var knownCaller: Caller? {
      if case .known(let caller) = self { caller } else { nil }
    }

    func caller(on connection: Connection) throws(Problem) -> Caller {
      switch self {
      case .known(let caller): return caller
      case .key(let key): return try Authorization.authenticate(key, on: connection)
      }
    }
  }

  /// Where a call comes from, as the audit log records it.
  struct Source: Sendable {
    /// The server's address; empty if unknown.
    let origin: String
    let requestID: String
  }

  /// The caller for a trusted address without an API key, with the permissions of an operator of all apps.
  private static let trusted = Caller(role: .operator, app: nil, apiKey: nil)

  /// Returns the calling server. If the call has an API key, the address is ignored; a key that the catalog does not
  /// contain is verified only on the admin thread.
  /// - Throws: 50300 if the call has no key and its address is not trusted.
  func server(_ call: LegacyCall) throws(LegacyRefusal) -> Server {
    try Self.server(call.bearer ?? call.form["APIKEY"], isTrusted: call.isTrustedAddress, catalog)
  }

  static func server(_ key: String?, isTrusted: Bool, _ catalog: Catalog) throws(LegacyRefusal) -> Server {
    if let key { return catalog.caller(apiKey: key).map(Server.known) ?? .key(key) }
    guard isTrusted else {
      throw LegacyRefusal(
        .unauthorizedServer,
        "This server may not send. Set UPMC_CTL_TRUSTED_SENDERS to its address, or give an API key (APIKEY=…).")
    }
    return .known(trusted)
  }

  /// Queues `work` for an admin thread, which authenticates the server, runs `work`, and answers the call with its
  /// result or its refusal. Returns at once.
  /// - Throws: a refusal with HTTP 503 if the queue does not accept the call; `work` is then not run.
  func onThread(
    _ call: LegacyCall, _ server: Server,
    _ work: @escaping @Sendable (Caller, Connection) throws(LegacyRefusal) -> LegacyAnswer
  ) throws(LegacyRefusal) {
    let service = call.service
    let source = Source(origin: call.address?.description ?? "", requestID: call.requestID)
    let problem = threads.perform(for: server.knownCaller, at: call.address, bytes: 0, call.responder.ticket) {
      attempt in
      do throws(LegacyRefusal) {
        return Envelope.response(try Self.run(attempt, server, from: source, work), service: service)
      } catch {
        return Envelope.refusal(error, service: service, isSend: true)
      }
    }
    // A used-up quota is reported like a full queue, as 503, which clients of this protocol retry.
    if let problem { throw LegacyRefusal(Problem(.busy, problem.sentence)) }
  }

  /// Authenticates the server and runs `work` for it.
  static func run(
    _ attempt: Result<Connection, Problem>, _ server: Server, from source: Source,
    _ work: (Caller, Connection) throws(LegacyRefusal) -> LegacyAnswer
  ) throws(LegacyRefusal) -> LegacyAnswer {
    let connection: Connection
    var caller: Caller
    do throws(Problem) {
      connection = try attempt.get()
      caller = try server.caller(on: connection)
    } catch {
      // The protocol treats a server with an unknown key as one that may not send.
      throw error.code == .badCredential ? LegacyRefusal(.unauthorizedServer, error.detail) : LegacyRefusal(error)
    }
    caller.origin = source.origin
    caller.requestID = source.requestID
    return try work(caller, connection)
  }

  /// Calls `body` and returns its result, or throws its problem as a refusal of this protocol.
  static func refusing<LegacyAnswer>(_ body: () throws(Problem) -> LegacyAnswer) throws(LegacyRefusal) -> LegacyAnswer {
    do throws(Problem) {
      return try body()
    } catch {
      throw LegacyRefusal(error)
    }
  }
}
