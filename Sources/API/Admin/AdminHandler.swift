internal import Domain
internal import HTTPServer
internal import Operations

/// The admin door: `/v1/admin` over HTTP, for back-office systems, operators and the console.
///
/// Its requests are few and may take long (counting an audience, reading a page of deliveries), so they leave the HTTP
/// loop: each is copied, waits in a bounded queue, and is carried out straight-line by a thread with a blocking connection of
/// its own.
///
/// ```
///                       ┌─► AdminQueue ──► AdminWorker (threads admin-0…n)
///   http-0 ── AdminDoor ┤                    │ route → who? → may they? → endpoint → operation
///     ▲         │       └─► AdminQueue ──► AdminWorker (thread passwords): signing in, choosing a password
///     │         │ over its share: 429, full: 503   │
///     │         ▼                                  ▼
///     └──────────────── ResponseTicket ◄───────────┤
///                          pieces ◄── AdminStreams ┴─► thread admin-streams: numbers as they change
///                                                  └─► thread admin-exports: files
/// ```
///
/// **Shares.** No caller and no app takes what all share (`QuotaHolder` says who counts as one). A queue is a `FairQueue`: tenants take
/// turns, and so do the callers of each; no caller and no app holds all threads, nor do heavy requests, so a message is
/// paused while others count audiences. Two apps whose light requests hang can hold both of two threads until their
/// statements end. Of the places in line, and of streams, each has a share. The door knows
/// in whose name a request comes before anybody has proved it (`KnownCallers`); a made-up credential waits with all
/// strangers, by its address, and brings no long body.
///
/// **One endpoint, one file**: it reads the request, runs one operation and writes its answer; the rules are the
/// operation's. Every `Endpoint` names its permission, which is checked before its handler runs.
///
/// **Order of refusals**: no such path (404) → wrong method (405) → no or bad API key (401) → role does not allow it
/// (403) → its share is used up (429) → wrong media type (415) → whatever the operation says. All as
/// `application/problem+json`. A request that finds its caller's share of the line used up gets no further: 429 before all else.
///
/// **Failure**: when the database is away, requests are answered 503 with Retry-After at once; the connection is made
/// anew with the next one. When the queue is full, they are answered 503 on the loop, without being copied.
final class AdminHandler: RequestHandler {
  private let threads: AdminThreads
  private let namedSends: DirectSendHandler?
  private let router = Endpoint.router(Endpoint.ofAdmin)

  /// - Parameter namedSends: what need not wait for a thread; nil when all goes to the threads.
  init(_ threads: AdminThreads, namedSends: DirectSendHandler? = nil) {
    self.threads = threads
    self.namedSends = namedSends
  }

  func handle(_ request: Request, _ responder: Responder) {
    if let namedSends, namedSends.take(request, responder) { return }
    let caller = credential(of: request).flatMap(threads.known.caller)
    let party = QuotaHolder(caller, address: request.clientAddress)
    let load = load(of: request)
    let queue = load == .password ? threads.passwords : threads.queue
    // Looked at first, so that an overload costs no copies. What is on the disk takes no memory.
    let problem =
      queue.refusal(of: party, bytes: request.withBody { $0.count })
      ?? queue.offer(AdminWork(.request(request.owned()), of: party, load, responder.ticket))
    if let problem { responder.send(.problem(problem, requestID: request.id, isKept: false)) }
  }

  /// What leads nowhere is soon answered.
  private func load(of request: Request) -> Endpoint.Load {
    guard case .found(let endpoint, _) = request.withPath({ router.match(request.method, $0) }) else { return .light }
    return endpoint.load
  }

  private func credential(of request: Request) -> Credential? {
    Credential(in: request.headers, isSecure: threads.isSecure)
  }

  // MARK: Long bodies

  /// A thread looks whose the credential is, unless that was proved a moment ago.
  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    // Who signs in may still have a cookie that is over.
    guard !Self.isSigningIn(request), let credential = credential(of: request), threads.known.proved(credential) == nil
    else { return false }
    let party = QuotaHolder(nil, address: request.clientAddress)
    let work = AdminWork(.proof(credential, requestID: request.id), of: party, .light, ticket)
    if let problem = threads.queue.offer(work) { work.refuse(problem) }
    return true
  }

  /// A stranger may bring no more than any call may without being asked.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    guard !Self.isSigningIn(request), let caller = credential(of: request).flatMap(threads.known.proved) else {
      return HTTPLimits.unaskedBodyBytes
    }
    return UploadAllowance.limit(for: request, of: caller) ?? max(standard, AdminLimits.bodyBytes)
  }

  /// Files go to the disk as they come: an admin thread reads them from there, part by part.
  func spoolsBody(of request: Request) -> Bool {
    UploadAllowance.isFile(request)
  }

  /// The one call that anybody may make: a name and a password, or a link.
  private static func isSigningIn(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/session")
  }
}
