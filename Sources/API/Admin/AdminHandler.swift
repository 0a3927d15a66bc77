internal import Domain
internal import HTTPServer
internal import Operations

/// Handles `/v1/admin` over HTTP, for back-office systems, operators and the console.
///
/// Its requests are few and can take long (counting an audience, reading a page of deliveries), so they leave the HTTP
/// loop: each is copied, waits in a bounded queue, and runs on a thread with a blocking connection of its own. Only
/// sends to named users can stay on the loop (`DirectSendHandler`).
///
/// ```
///                           ┌─► AdminQueue ──► AdminWorker (threads admin-0…n)
///   http-0 ── AdminHandler ─┤                    │ route → authenticate → authorize → endpoint → operation
///     ▲         │           ├─► AdminQueue ──► AdminWorker (thread passwords): signing in, passwords, second factors
///     │         │           └─► AdminQueue ──► AdminWorker (thread provider): signing in at the identity provider
///     │         │ quota used up: 429, full: 503    │
///     │         ▼                                  ▼
///     └──────────────── ResponseTicket ◄───────────┤
///                          pieces ◄── AdminStreams ┴─► thread admin-streams: numbers as they change
///                                                  └─► thread admin-exports: files
/// ```
///
/// **Quotas.** `QuotaHolder` defines callers and tenants. A queue is a `FairQueue`: round-robin over tenants, and over
/// the callers of each. No caller or app can take all places of a queue, or all streams. If there are several threads
/// `admin-…`, no single caller or app, nor all heavy requests together, can occupy all of them, so a message can be
/// paused while other requests count audiences. (Two apps whose light requests hang can occupy both of two threads,
/// until their statements time out.) Before its authentication, a request is attributed to a caller by `KnownCallers`.
/// Requests with unknown credentials count by address and belong to one tenant; their long bodies wait until a thread
/// has authenticated them.
///
/// **Endpoints** read the request, run one operation and write its answer; the business rules are in the operation.
/// Every `Endpoint` names its permission, which is checked before its handler runs.
///
/// **Order of refusals**: no such path (404) → wrong method (405) → no or bad credential (401) → address, CSRF token or
/// role not permitted (403) → sign-in too long ago (401) → unknown query item (400) → no stream place left (429, 503) →
/// wrong media type (415) → whatever the operation refuses. All are `application/problem+json`. Before all of these: 429
/// if the caller's quota of the queue is used up, 503 if the queue is full, and for a long body 401 if its credential is
/// not valid.
///
/// **Failure**: while the database is unreachable, requests are answered 503 with Retry-After, and the next request
/// tries to reconnect. When the queue is full, the loop answers 503 without copying the request.
final class AdminHandler: RequestHandler {
  private let threads: AdminThreads
  private let namedSends: DirectSendHandler?
  private let router = Endpoint.router(Endpoint.ofAdmin)

  /// Creates the handler of one HTTP loop.
  /// - Parameter namedSends: handles sends to named users on the loop; nil to handle them on the threads, like all
  ///   others.
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

  /// Returns the load of the request's endpoint, and sets the route of the request's span. Requests for unknown paths
  /// or with wrong methods are light, because they are refused quickly.
  private func load(of request: Request) -> Endpoint.Load {
    guard case .found(let endpoint, _) = request.withPath({ router.match(request.method, $0) }) else { return .light }
    request.follows(endpoint.pattern)
    return endpoint.load
  }

  private func credential(of request: Request) -> Credential? {
    Credential(in: request.headers, isSecure: threads.isSecure)
  }

  // MARK: Long bodies

  /// Returns whether the long body must wait, because `KnownCallers.proved` does not accept its credential. If so,
  /// queues the authentication for a thread, which then admits the body or refuses the request; refuses the request at
  /// once if the queue does not accept that. Always false without a credential, and for paths that sign in.
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

  /// Returns the maximum size of the request's body in bytes: `HTTPLimits.unaskedBodyBytes` for paths that sign in, and
  /// for requests whose credential `KnownCallers.proved` does not accept. Otherwise, it is the limit of
  /// `UploadAllowance` for a file that the caller may send, and `standard` or `AdminLimits.bodyBytes`, whichever is
  /// greater, for all other requests.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    guard !Self.isSigningIn(request), let caller = credential(of: request).flatMap(threads.known.proved) else {
      return HTTPLimits.unaskedBodyBytes
    }
    return UploadAllowance.limit(for: request, of: caller) ?? max(standard, AdminLimits.bodyBytes)
  }

  /// Returns whether the body is a file, which is spooled to disk, from where an admin thread reads it in parts.
  func spoolsBody(of request: Request) -> Bool {
    UploadAllowance.isFile(request)
  }

  /// Returns whether the path is one of the two that sign in: with a password or a link, or with the identity
  /// provider's answer. The method is not checked. Signing in needs no credential, and all bodies for these paths are
  /// short.
  private static func isSigningIn(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/session") || request.pathEquals("/v1/admin/session/openid/answer")
  }
}

/// The rules for admin requests whose body is a file. They are applied after the head has arrived and the caller is
/// authenticated, and before the body is read, so that no client can fill memory or disk without a valid API key or
/// session. Decision 092.
enum UploadAllowance {
  /// Returns the body limit in bytes; nil to apply the limit of all other requests, because the path is not that of an
  /// upload or the caller may not send. The method is not checked: other methods on these paths ignore the body.
  static func limit(for request: Request, of caller: Caller) -> Int? {
    guard (try? caller.require(.send)) != nil else { return nil }
    if request.pathEquals("/v1/admin/uploads") { return AdminLimits.uploadBytes }
    if request.pathEquals("/v1/admin/audiences/csv") { return AdminLimits.csvBytes }
    return nil
  }

  /// Returns whether the path is that of an upload, whose body is a file that is read in parts and not a JSON object.
  static func isFile(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/uploads") || request.pathEquals("/v1/admin/audiences/csv")
  }
}
