internal import Domain
internal import HTTPServer
internal import JSON
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

/// Readers for parts of requests that many endpoints use: JSON bodies, query parameters, pages.
extension AdminCall {
  /// Returns the body, parsed as a JSON object.
  /// - Throws: `.unsupportedMediaType`; `.malformed` if the body cannot be parsed or is not a JSON object;
  ///   `.impossible` if its members only contradict each other; otherwise `.invalidField`.
  func body<Root>(_ object: JSONObject<Root>) throws(Problem) -> Root {
    try object.read(body: try jsonBody())
  }

  /// Returns the page requested by `?limit=&cursor=`: by default the first one, with up to
  /// `Operations.Limits.pageDefault` items. Whether the cursor is one of this list is checked only by the operation.
  /// - Throws: `.invalidField` if the limit is out of range or the cursor is malformed.
  func page() throws(Problem) -> PageRequest {
    try PageRequest(limit: query["limit"], cursor: query["cursor"])
  }

  /// Returns a required query parameter.
  /// - Throws: `.invalidField` if it is missing or empty.
  func required(_ name: String) throws(Problem) -> String {
    guard let value = query[name], !value.isEmpty else {
      throw Problem(.invalidField, "Say which: \(request.path)?\(name)=…")
    }
    return value
  }

  /// Returns the GROUPSEQ in the path. Whether the group exists is not checked.
  /// - Throws: `.unknownGroup` if it is not a whole number.
  func groupSeq() throws(Problem) -> Int64 {
    guard let group = Int64(parameters["groupSeq"]) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number, as lists show it.")
    }
    return group
  }
}
