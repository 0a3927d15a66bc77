internal import Domain
package import HTTPServer
package import Operations
internal import JSON
package import Reactor

/// Handles the calls of devices over HTTP: registration, user, consents, further tokens, groups, badge, inbox, messages
/// to other users, receipts and reads. One per HTTP loop.
///
/// A request's path, all on one thread:
///
/// ```
///   bytes ──► HTTPServer ──► endpoint: JSON → Operation, credential checked (HMAC, no database)
///                                │
///                                ▼
///                            Committer ── waits while the previous commit runs, then commits with all that waits
///                                │
///   answer ◄── endpoint: OperationAnswer → JSON ◄──┘   one socket write per connection and turn
/// ```
///
/// Nothing is answered 2xx before its commit. Requests get 503 with Retry-After, instead of waiting without end, if too
/// many wait (`QueueGauge`), or if the database is unreachable or silent: "not carried out" if they still waited or
/// were rolled back, "outcome unknown" if a COMMIT has not been answered.
package final class DeviceHandler: RequestHandler {
  /// The keys that sign and verify pushkeys and authKeys, among others.
  let keys: SigningKeys
  let catalog: Catalog
  let committer: Committer
  let timeout: UnknownKeyDelay
  let sends = SendLog()
  private let router = Endpoint.router(Endpoint.ofDevices)

  package init(committer: Committer, catalog: Catalog, keys: SigningKeys, loop: EventLoop) {
    self.committer = committer
    timeout = UnknownKeyDelay(catalog: catalog, loop: loop)
    self.catalog = catalog
    self.keys = keys
  }

  package func handle(_ request: Request, _ responder: Responder) {
    do throws(Problem) {
      // The two most frequent requests are not routed like others, to save time. `==` would be a call through a table.
      if case .post = request.method, request.pathEquals("/v1/receipts"), !request.hasQuery {
        request.follows("/v1/receipts")
        return try receive(request, .none, responder)
      }
      if case .post = request.method, request.pathEquals("/v1/reads"), !request.hasQuery {
        request.follows("/v1/reads")
        return try read(request, .none, responder)
      }
      switch router.match(request) {
      case .found(let endpoint, let parameters):
        request.follows(endpoint.pattern)
        guard case .device(let handler) = endpoint.handler else { preconditionFailure("\(endpoint.id) is no device's") }
        let query = try QueryParameters(request.query, known: endpoint.query) { Problem(.invalidField, $0) }
        try handler(self)(request, parameters, query, responder)
      case .methodNotAllowed(let allowed):
        responder.send(.methodNotAllowed(allowed, requestID: request.id, in: request.language))
      case .notFound: throw Problem(.notFound, "No such path. The API is described at /openapi.json.")
      }
    } catch {
      responder.send(error, requestID: request.id, in: request.language)
    }
  }

  /// Returns the maximum size of the request's body in bytes, at most `standard`. Credentials are checked only after
  /// the body has arrived, so each call is limited to what it can need.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    if request.pathEquals("/v1/receipts") || request.pathEquals("/v1/reads") {
      return min(standard, Operations.Limits.confirmationBytes)
    }
    let isMessage = request.path.utf8.reversed().starts(with: "/messages".utf8.reversed())
    return min(standard, isMessage ? Operations.Limits.deviceMessageBytes : Operations.Limits.deviceCallBytes)
  }

  // MARK: Shared by endpoints

  /// Submits an operation and returns at once. When it is committed, calls `answer`, which must send the response; if
  /// it fails, answers with the problem.
  func perform(
    _ operation: Operation, _ request: Request, _ responder: Responder,
    _ answer: @escaping (OperationAnswer, Responder) -> Void
  ) {
    let (number, language) = (request.number, request.language)
    perform(operation, Request.id(of: number), language, responder, answer)
  }

  /// Submits an operation and returns at once, without needing the request any more. When it is committed, calls
  /// `answer`, which must send the response; if it fails, answers with the problem.
  /// - Parameters:
  ///   - requestID: ID of the request; evaluated only if there is a problem.
  ///   - language: language of a problem's texts.
  func perform(
    _ operation: Operation, _ requestID: @autoclosure @escaping () -> String, _ language: SpokenLanguage,
    _ responder: Responder,
    _ answer: @escaping (OperationAnswer, Responder) -> Void
  ) {
    committer.submit(operation, trace: responder.span) { outcome in
      switch outcome {
      case .success(let value): answer(value, responder)
      case .failure(let problem): responder.send(problem, requestID: requestID(), in: language)
      }
    }
  }

  /// Verifies that the request has the authKey of the device in the path, and returns what the key states. Whether the
  /// device exists and the key is still valid is checked by the operation.
  /// - Throws: `.unknownDevice` if the path has no UUID, `.noCredential`, `.badCredential` if the key is not genuine,
  ///   or `.forbidden` if it belongs to another device.
  func claim(_ request: Request, _ parameters: PathParameters) throws(Problem) -> AuthKeyring.Claim {
    guard let device = DeviceID(parameters["device"]) else {
      throw Problem(.unknownDevice, "A device id is a UUID, as the registration answered it.")
    }
    guard let claim = keys.authKeys.verify(try Self.bearer(request)) else {
      throw Problem(.badCredential, "Send the authKey that the registration answered.")
    }
    guard claim.device == device else {
      throw Problem(.forbidden, "This authKey belongs to another device.")
    }
    return claim
  }

  static func bearer(_ request: Request) throws(Problem) -> String {
    guard let token = request.bearerToken else {
      throw Problem(.noCredential, "Send \"Authorization: Bearer …\".")
    }
    return token
  }

  /// Returns the body, parsed as a JSON object.
  /// - Throws: `.unsupportedMediaType`; `.malformed` if the body cannot be parsed or is not a JSON object;
  ///   `.impossible` if its members only contradict each other; otherwise `.invalidField`.
  static func body<Root>(_ object: JSONObject<Root>, _ request: Request) throws(Problem) -> Root {
    try object.read(body: try jsonBody(request))
  }

  /// Returns a reader of the JSON body. Throws `.unsupportedMediaType` as `jsonBody` does.
  static func reader(_ request: Request) throws(Problem) -> JSONReader {
    JSONReader(try jsonBody(request))
  }

  /// Returns the body, which is not parsed yet.
  /// - Throws: `.unsupportedMediaType` if there is a Content-Type, and it is not JSON.
  static func jsonBody(_ request: Request) throws(Problem) -> [UInt8] {
    // Fast path: nearly all clients send exactly `application/json`.
    if !request.isPlainJSON, let type = request.header("content-type"),
      ContentType.mediaType(type) != "application/json"
    {
      throw Problem(.unsupportedMediaType, "Send JSON with Content-Type: application/json.")
    }
    return request.bodyBytes
  }
}
