internal import Domain
internal import HTTPServer
internal import Operations

/// Handles `/v1/admin` over HTTP, for back-office systems, operators and the console.
///
/// Its requests are few and may take long (counting an audience, reading a page of deliveries), so they leave the HTTP
/// loop: each is copied, waits in a bounded queue, and runs straight-line on a thread with its own blocking connection.
///
/// ```
///                           ┌─► AdminQueue ──► AdminWorker (threads admin-0…n)
///   http-0 ── AdminHandler ─┤                    │ route → authenticate → authorize → endpoint → operation
///     ▲         │           ├─► AdminQueue ──► AdminWorker (thread passwords): signing in, choosing a password
///     │         │           └─► AdminQueue ──► AdminWorker (thread provider): signing in at the identity provider
///     │         │ over its share: 429, full: 503   │
///     │         ▼                                  ▼
///     └──────────────── ResponseTicket ◄───────────┤
///                          pieces ◄── AdminStreams ┴─► thread admin-streams: numbers as they change
///                                                  └─► thread admin-exports: files
/// ```
///
/// **Shares.** No caller and no app can take what all share (`QuotaHolder` defines who counts as one). A queue is a
/// `FairQueue`: round-robin over tenants, and over the callers of each. No single caller or app, nor all heavy requests
/// together, may hold every thread, so a message can be paused while other requests count audiences. Two apps whose
/// light requests hang can hold both of two threads until their statements time out. Places in the queue and streams
/// are shared out too. The handler attributes a request before authentication by `KnownCallers`; requests with unknown
/// credentials count by address, share one tenant, and may not bring long bodies.
///
/// **One endpoint, one file**: it reads the request, runs one operation and writes its answer; the rules are the
/// operation's. Every `Endpoint` names its permission, which is checked before its handler runs.
///
/// **Order of refusals**: no such path (404) → wrong method (405) → no or bad credential (401) → role does not allow it
/// (403) → no stream place left in its share (429) → wrong media type (415) → whatever the operation refuses. All are
/// `application/problem+json`. A caller whose share of the queue is used up gets 429 before all of these.
///
/// **Failure**: while the database is away, requests are answered 503 with Retry-After at once, and the next request
/// reconnects. When the queue is full, the loop answers 503 without copying the request.
final class AdminHandler: RequestHandler {
  private let threads: AdminThreads
  private let namedSends: DirectSendHandler?
  private let router = Endpoint.router(Endpoint.ofAdmin)

  /// Creates the handler of one HTTP loop.
  /// - Parameter namedSends: handles sends to named users on the loop; nil to leave them to the threads.
  init(_ threads: AdminThreads, namedSends: DirectSendHandler? = nil) {
    self.threads = threads
    self.namedSends = namedSends
  }

  func handle(_ request: Request, _ responder: Responder) {
    if let namedSends, namedSends.take(request, responder) { return }
    let caller = credential(of: request).flatMap(threads.known.caller)
    let party = QuotaHolder(caller, address: request.clientAddress)
    let load = load(of: request)
    let queue =
      switch load {
      case .password: threads.passwords
      case .provider: threads.provider
      case .light, .heavy: threads.queue
      }
    // Check before the request is copied, so that an overload causes no copies. A body spooled to disk takes no memory.
    let problem =
      queue.refusal(of: party, bytes: request.withBody { $0.count })
      ?? queue.offer(AdminWork(.request(request.owned()), of: party, load, responder.ticket))
    if let problem { responder.send(.problem(problem, requestID: request.id, isKept: false, in: request.language)) }
  }

  /// Returns the load of the request's endpoint. Requests with unknown paths are light, because they are refused
  /// quickly.
  private func load(of request: Request) -> Endpoint.Load {
    guard case .found(let endpoint, _) = request.withPath({ router.match(request.method, $0) }) else { return .light }
    request.follows(endpoint.pattern)
    return endpoint.load
  }

  private func credential(of request: Request) -> Credential? {
    Credential(in: request.headers, isSecure: threads.isSecure)
  }

  // MARK: Long bodies

  /// Returns whether the body must wait until a thread has authenticated the credential. This is not needed if that was
  /// done a moment ago.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    // A client that signs in may still send an expired cookie.
    guard !Self.isSigningIn(request), let credential = credential(of: request), threads.known.proved(credential) == nil
    else { return false }
    let party = QuotaHolder(nil, address: request.clientAddress)
    let kind = AdminWork.Kind.proof(credential, requestID: request.id, language: request.language)
    let work = AdminWork(kind, of: party, .light, ticket)
    if let problem = threads.queue.offer(work) { work.refuse(problem) }
    return true
  }

  /// Returns the largest body that the request may have. Clients that are not authenticated get
  /// `HTTPLimits.unaskedBodyBytes`.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    guard !Self.isSigningIn(request), let caller = credential(of: request).flatMap(threads.known.proved) else {
      return HTTPLimits.unaskedBodyBytes
    }
    return UploadAllowance.limit(for: request, of: caller) ?? max(standard, AdminLimits.bodyBytes)
  }

  /// Files are spooled to disk, from where an admin thread reads them in parts.
  func spoolsBody(of request: Request) -> Bool {
    UploadAllowance.isFile(request)
  }

  /// Returns whether the call needs no credential because it signs in: with a login and password, a link, or the
  /// identity provider's answer.
  private static func isSigningIn(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/session") || request.pathEquals("/v1/admin/session/openid/answer")
  }
}
