internal import Domain
internal import HTTPServer

/// One request on its way to an admin thread.
struct AdminWork: Sendable {
  enum Errand: Sendable {
    /// Routed and answered by the admin API.
    case request(OwnedRequest)
    /// A long body waits until its caller is authenticated.
    case proof(Credential, requestID: String)
    /// A legacy call, which only needs the thread and its connection.
    case job(AdminJob, bytes: Int)
  }

  let errand: Errand
  let party: QuotaHolder
  let load: Endpoint.Load
  let ticket: ResponseTicket

  /// - Parameter load: its endpoint's; a long body makes a light one heavy.
  init(_ errand: Errand, of party: QuotaHolder, _ load: Endpoint.Load, _ ticket: ResponseTicket) {
    self.errand = errand
    self.party = party
    let isLong = Self.bodyBytes(errand) > AdminLimits.lightBodyBytes
    self.load = load == .light && isLong ? .heavy : load
    self.ticket = ticket
  }

  /// Bytes of the body in memory.
  var bodyBytes: Int { Self.bodyBytes(errand) }

  private static func bodyBytes(_ errand: Errand) -> Int {
    switch errand {
    case .request(let request): request.body.count
    case .proof: 0
    case .job(_, let bytes): bytes
    }
  }

  /// Answers it with a problem, without having begun it.
  func refuse(_ problem: Problem) {
    switch errand {
    case .request(let request): ticket.send(.problem(problem, requestID: request.id, isKept: false))
    case .proof(_, let requestID): ticket.send(.problem(problem, requestID: requestID, isKept: false))
    case .job(let job, _): ticket.send(job(.failure(problem)))
    }
  }
}
