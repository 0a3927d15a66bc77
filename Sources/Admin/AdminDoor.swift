internal import Domain
package import HTTPServer

/// `/v1/admin` on an HTTP loop: copies each request and puts it into the queue. One per loop.
package final class AdminDoor: RequestHandler {
  private let threads: AdminThreads

  private let namedSends: NamedSends?

  /// - Parameter namedSends: what need not wait for a thread; nil when all goes to the threads.
  package init(_ threads: AdminThreads, namedSends: NamedSends? = nil) {
    self.threads = threads
    self.namedSends = namedSends
  }

  package func handle(_ request: Request, _ responder: Responder) {
    if let namedSends, namedSends.take(request, responder) { return }
    // Looked at first, so that an overload costs no copies.
    if !threads.queue.isFull, threads.queue.offer(AdminWork(request: request.owned(), ticket: responder.ticket)) {
      return
    }
    let problem = Problem(.busy, "Too many admin requests are waiting. Try again in a moment.")
    responder.send(.problem(problem, requestID: request.id))
  }

  package func bodyLimit(for request: Request, standard: Int) -> Int {
    max(standard, request.pathEquals("/v1/admin/audiences/csv") ? Admin.Limits.csvBytes : Admin.Limits.bodyBytes)
  }
}
