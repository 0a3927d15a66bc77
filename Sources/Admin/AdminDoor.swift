internal import Domain
package import HTTPServer

/// `/v1/admin` on an HTTP loop: copies each request and puts it into the queue. One per loop.
package final class AdminDoor: RequestHandler {
  private let threads: AdminThreads

  private let namedSends: NamedSends?
  private let uploads: UploadGate?

  /// - Parameters:
  ///   - namedSends: what need not wait for a thread; nil when all goes to the threads.
  ///   - uploads: who may bring large bodies; nil when nobody may.
  package init(_ threads: AdminThreads, namedSends: NamedSends? = nil, uploads: UploadGate? = nil) {
    self.threads = threads
    self.namedSends = namedSends
    self.uploads = uploads
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
    uploads?.limit(for: request) ?? max(standard, Admin.Limits.bodyBytes)
  }

  /// Files go to the disk as they come: an admin thread reads them from there, part by part.
  package func spoolShare(of request: Request) -> SpoolShare { uploads?.share(of: request) ?? .noFile }
}
