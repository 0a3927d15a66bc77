internal import Domain
package import HTTPServer
internal import Operations

/// `/v1/admin` on an HTTP loop: finds out in whose name a request comes, copies it and puts it into its queue. One per loop.
package final class AdminDoor: RequestHandler {
  private let threads: AdminThreads
  private let namedSends: NamedSendDoor?
  private let router = AdminRoute.router()

  /// - Parameter namedSends: what need not wait for a thread; nil when all goes to the threads.
  package init(_ threads: AdminThreads, namedSends: NamedSendDoor? = nil) {
    self.threads = threads
    self.namedSends = namedSends
  }

  package func handle(_ request: Request, _ responder: Responder) {
    if let namedSends, namedSends.take(request, responder) { return }
    let caller = credential(of: request).flatMap(threads.known.caller)
    let party = Party(caller, address: request.clientAddress)
    let load = load(of: request)
    let queue = load == .password ? threads.passwords : threads.queue
    // Looked at first, so that an overload costs no copies. What is on the disk takes no memory.
    let problem =
      queue.refusal(of: party, bytes: request.withBody { $0.count })
      ?? queue.offer(AdminWork(.request(request.owned()), of: party, load, responder.ticket))
    if let problem { responder.send(.problem(problem, requestID: request.id)) }
  }

  /// What leads nowhere is soon answered.
  private func load(of request: Request) -> AdminWork.Load {
    guard case .found(let route, _) = request.withPath({ router.match(request.method, $0) }) else { return .light }
    return route.load
  }

  private func credential(of request: Request) -> Credential? {
    Credential(in: request.headers, isSecure: threads.isSecure)
  }

  // MARK: Long bodies

  /// A thread looks whose the credential is, unless that was proved a moment ago.
  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    // Who signs in may still have a cookie that is over.
    guard !Self.isSigningIn(request), let credential = credential(of: request), threads.known.proved(credential) == nil
    else { return false }
    let party = Party(nil, address: request.clientAddress)
    let work = AdminWork(.proof(credential, requestID: request.id), of: party, .light, ticket)
    if let problem = threads.queue.offer(work) { work.refuse(problem) }
    return true
  }

  /// A stranger may bring no more than any call may without being asked.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    guard !Self.isSigningIn(request), let caller = credential(of: request).flatMap(threads.known.proved) else {
      return HTTPLimits.unaskedBodyBytes
    }
    return UploadGate.limit(for: request, of: caller) ?? max(standard, Admin.Limits.bodyBytes)
  }

  /// Files go to the disk as they come: an admin thread reads them from there, part by part.
  package func spoolsBody(of request: Request) -> Bool {
    UploadGate.isFile(request)
  }

  /// The one call that anybody may make: a name and a password, or a link.
  private static func isSigningIn(_ request: Request) -> Bool {
    request.pathEquals("/v1/admin/session")
  }
}
