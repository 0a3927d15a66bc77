internal import Domain
internal import HTTPServer
internal import Postgres

/// A request in an `AdminQueue`, with the party whose quota it uses and the ticket to answer it.
struct AdminWork: Sendable {
  enum Kind: Sendable {
    /// A request of the admin API.
    case request(OwnedRequest)
    /// A credential to check before the long body of its request is read.
    case proof(Credential, requestID: String, language: SpokenLanguage)
    /// A call of the legacy API, which only needs the thread and its connection.
    case job(AdminJob, bytes: Int)
  }

  let kind: Kind
  let party: QuotaHolder
  let load: Endpoint.Load
  let ticket: ResponseTicket

  /// Creates a queue entry.
  /// - Parameter load: load of the endpoint. A light request becomes heavy if its body is longer than
  ///   `AdminLimits.lightBodyBytes`.
  init(_ kind: Kind, of party: QuotaHolder, _ load: Endpoint.Load, _ ticket: ResponseTicket) {
    self.kind = kind
    self.party = party
    let isLong = Self.bodyBytes(kind) > AdminLimits.lightBodyBytes
    self.load = load == .light && isLong ? .heavy : load
    self.ticket = ticket
  }

  /// Size in bytes of the body in memory; 0 for a body that was spooled to a file, and for a proof.
  var bodyBytes: Int { Self.bodyBytes(kind) }

  private static func bodyBytes(_ kind: Kind) -> Int {
    switch kind {
    case .request(let request): request.body.count
    case .proof: 0
    case .job(_, let bytes): bytes
    }
  }

  /// Answers the request with a problem, without carrying it out.
  func refuse(_ problem: Problem) {
    switch kind {
    case .request(let request):
      ticket.send(.problem(problem, requestID: request.id, isKept: false, in: request.language))
    case .proof(_, let requestID, let language):
      ticket.send(.problem(problem, requestID: requestID, isKept: false, in: language))
    case .job(let job, _): ticket.send(job(.failure(problem)))
    }
  }
}

/// A call of the legacy API that runs on an admin thread and returns the call's response. It receives the thread's
/// database connection, or the problem to answer with: the database is unreachable, the server is stopping, or another
/// request has displaced the call from the queue. In the last case it runs on the thread that queues that request.
typealias AdminJob = @Sendable (Result<Connection, Problem>) -> Response
