internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor
internal import Time

/// One authorized request, with everything that its endpoint needs. Endpoints are methods of this type.
struct AdminCall {
  let request: OwnedRequest
  let parameters: PathParameters
  /// The query parameters. They include only those that the endpoint declares.
  let query: QueryParameters
  let caller: Caller
  /// Token of the console session that authenticated the request; nil for an API key.
  var session: String?
  let connection: Connection
  let resources: AdminResources

  /// The database's time.
  var now: Timestamp { resources.clock.wallTime }

  /// Returns the body, whose Content-Type must be JSON.
  /// - Throws: `.unsupportedMediaType`.
  func jsonBody() throws(Problem) -> [UInt8] {
    let type = request.header("content-type")?.split(separator: ";").first?.lowercased() ?? ""
    guard type.trimmingBlanks == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send JSON with Content-Type: application/json.")
    }
    return request.body
  }

  /// Returns the SEQNO in the path.
  /// - Throws: `.unknownMessage` if it is not a valid one.
  func seqno() throws(Problem) -> Seqno { try Self.seqno(parameters["seqno"]) }

  /// Parses a SEQNO.
  /// - Throws: `.unknownMessage` if it is not a valid one.
  static func seqno(_ text: String) throws(Problem) -> Seqno {
    guard let seqno = Seqno(text) else {
      throw Problem(.unknownMessage, "A SEQNO is a whole number, as the send answered it.")
    }
    return seqno
  }

  /// Problem for a request without a credential.
  static var noCredential: Problem {
    Problem(.noCredential, "Send \"Authorization: Bearer <API key>\". `upmc key create` makes one.")
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return rest
  }
}
