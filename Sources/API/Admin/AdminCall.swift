internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor
internal import Time

/// One authorized request of the admin API, with everything that its endpoint needs. Endpoints are methods of this
/// type, and run on the thread that owns the connection.
struct AdminCall {
  let request: OwnedRequest
  let parameters: PathParameters
  /// The query parameters. They contain no names except those that the endpoint declares.
  let query: QueryParameters
  let caller: Caller
  /// Token of the console session in the request's cookie; nil if the request has an API key or no credential. The
  /// session is authenticated unless the endpoint is open, as those for signing in are.
  var session: String?
  let connection: Connection
  let resources: AdminResources

  /// The current time of `resources.clock`.
  var now: Timestamp { resources.clock.wallTime }

  /// Returns the body, which is not parsed yet.
  /// - Throws: `.unsupportedMediaType` if the Content-Type is missing or not JSON.
  func jsonBody() throws(Problem) -> [UInt8] {
    guard ContentType.mediaType(request.header("content-type")) == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send JSON with Content-Type: application/json.")
    }
    return request.body
  }

  /// Returns the SEQNO in the path. Whether the message exists is not checked.
  /// - Throws: `.unknownMessage` if it is not a valid SEQNO.
  func seqno() throws(Problem) -> Seqno { try Self.seqno(parameters["seqno"]) }

  /// Parses a SEQNO. Whether the message exists is not checked.
  /// - Throws: `.unknownMessage` if the text is not a valid SEQNO.
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
