internal import Domain
internal import HTTPServer

/// One endpoint of the API: method and path, who may call it, its request and answers, and the code that handles it.
/// Routers, permission checks and the API description are derived from these values. Decision 085.
struct Endpoint: Sendable {
  let method: Method
  /// The path as the router matches it, such as `/v1/devices/{device}`.
  let pattern: String
  /// `operationId` in the description.
  let id: String
  let area: Area
  let summary: String
  let about: String
  let access: Access
  /// Whether a console session must have begun moments ago (`Visit.requireFreshSignIn`). Requires a permission.
  let needsFreshSignIn: Bool
  let load: Load
  /// Query and header parameters. Path parameters are found by their names in `PathParameter.all`.
  let parameters: [Parameter]
  /// Names of the allowed query items; any other is refused.
  let query: [String]
  let body: Body?
  /// Successful answers.
  let answers: [Answer]
  /// Problems of this endpoint in addition to those that `problems` derives.
  let ownProblems: [Problem.Code]
  let handler: Handler

  init(
    _ method: Method, _ pattern: String, id: String, in area: Area, _ summary: String, _ about: String,
    by access: Access, needsFreshSignIn: Bool = false, load: Load = .light, parameters: [Parameter] = [],
    body: Body? = nil, answers: [Answer], problems: [Problem.Code] = [], handler: Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.id = id
    self.area = area
    self.summary = summary
    self.about = about
    self.access = access
    self.needsFreshSignIn = needsFreshSignIn
    self.load = load
    self.parameters = parameters
    query = parameters.filter { $0.place == .query }.map(\.name)
    self.body = body
    self.answers = answers
    ownProblems = problems
    self.handler = handler
  }

  /// All problems that the endpoint may answer with: its own, those of its credential, its body, its query, its
  /// caller's quota and the database, and for changes `.conflict`, in case the app is being deleted; each once and in
  /// the order of `Problem.Code.allCases`. Excludes those that every path has (such as 405). Empty for calls of the
  /// existing SDK.
  var problems: [Problem.Code] {
    // Calls of the existing SDK report all problems in the format of their own protocol.
    if area == .sdk { return [] }
    var problems = ownProblems
    switch access {
    case .open: break
    case .clientKey, .caller, .permission: problems += [.noCredential, .badCredential, .forbidden]
    case .authKey: problems += [.noCredential, .badCredential, .forbidden, .unknownDevice]
    }
    if needsFreshSignIn { problems.append(.freshSignInNeeded) }
    // While an app is being deleted, changes to it are refused.
    if method != .get, access.needsKey { problems.append(.conflict) }
    if body != nil { problems += [.malformed, .invalidField, .bodyTooLarge, .unsupportedMediaType] }
    if hasShare { problems.append(.tooManyRequests) }
    // `invalidField`: a query item that is unknown or repeated.
    if usesDatabase { problems += [.invalidField, .busy, .databaseAway, .outcomeUnknown, .internalError] }
    return Problem.Code.allCases.filter(problems.contains)
  }

  /// Whether requests wait in a queue with a quota for each caller. This applies to all endpoints below `/v1/admin/`.
  private var hasShare: Bool { pattern.hasPrefix("/v1/admin/") }

  /// Whether the endpoint uses the database. This applies to all endpoints below `/v1/`.
  private var usesDatabase: Bool { pattern.hasPrefix("/v1/") }

  /// Names of the path's parameters, in the order of the path and without their braces.
  var pathParameters: [String] {
    pattern.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
  }
}
