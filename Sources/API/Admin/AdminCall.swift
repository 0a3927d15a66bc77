internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor

/// One request of a caller who may make it, with what its endpoint needs. Endpoints are extensions of it.
struct AdminCall {
  let request: OwnedRequest
  let parameters: PathParameters
  /// Only what the route names.
  let query: QueryParameters
  let caller: Caller
  /// The session that the request came with, if it came with one.
  var session: String?
  let connection: Connection
  let resources: AdminResources

  /// Microseconds since 1970, by the database's clock.
  var now: Int64 { resources.clock.wallMicroseconds }

  /// The body, which must say that it is JSON. - Throws: `.unsupportedMediaType`.
  func jsonBody() throws(Problem) -> [UInt8] {
    let type = request.header("content-type")?.split(separator: ";").first?.lowercased() ?? ""
    guard type.trimmingBlanks == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send JSON with Content-Type: application/json.")
    }
    return request.body
  }

  /// The SEQNO in the path. - Throws: `.unknownMessage` for anything that cannot be one.
  func seqno() throws(Problem) -> Int64 {
    guard let seqno = SequenceNumber.parse(parameters["seqno"]) else {
      throw Problem(.unknownMessage, "A SEQNO is a whole number, as the send answered it.")
    }
    return seqno
  }

  /// What a caller is told who proves nothing.
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
