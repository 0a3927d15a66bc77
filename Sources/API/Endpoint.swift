internal import Domain
internal import HTTPServer

/// One endpoint of the API: how it is called, who may, what it takes and answers, and what carries it out. The routers, the
/// look at who may call and the description are all made of these values; nothing of them is said anywhere else.
struct Endpoint: Sendable {
  let method: Method
  /// As the router has it: `/v1/devices/{device}`.
  let pattern: String
  /// Its name in the description, `operationId`.
  let id: String
  let area: Area
  let summary: String
  let about: String
  let access: Access
  let load: Load
  /// In the query or in a header; those in the path are known by their names (`PathParameter`).
  let parameters: [Parameter]
  /// Names of what may stand behind the `?`; anything else there is refused.
  let query: [String]
  let body: Body?
  /// Good ends.
  let answers: [Answer]
  /// What it refuses on its own account.
  let ownProblems: [Problem.Code]
  let handler: Handler

  init(
    _ method: Method, _ pattern: String, id: String, in area: Area, _ summary: String, _ about: String,
    by access: Access, load: Load = .light, parameters: [Parameter] = [], body: Body? = nil, answers: [Answer],
    problems: [Problem.Code] = [], handler: Handler
  ) {
    self.method = method
    self.pattern = pattern
    self.id = id
    self.area = area
    self.summary = summary
    self.about = about
    self.access = access
    self.load = load
    self.parameters = parameters
    query = parameters.filter { $0.place == .query }.map(\.name)
    self.body = body
    self.answers = answers
    ownProblems = problems
    self.handler = handler
  }

  /// Everything that it may refuse: its own problems, those of its credential, of its body, and of waiting in line.
  var problems: [Problem.Code] {
    // Forms are answered in an envelope of their own, whatever the matter is.
    if area == .sdk { return [] }
    var problems = ownProblems
    switch access {
    case .open: break
    case .clientKey, .permission: problems += [.noCredential, .badCredential, .forbidden]
    case .authKey: problems += [.noCredential, .badCredential, .forbidden, .unknownDevice]
    }
    if body != nil { problems += [.malformed, .invalidField, .bodyTooLarge, .unsupportedMediaType] }
    if hasShare { problems.append(.tooManyRequests) }
    // `invalidField`: a parameter that is not known, or there twice.
    if usesDatabase { problems += [.invalidField, .busy, .databaseAway, .outcomeUnknown, .internalError] }
    return Problem.Code.allCases.filter(problems.contains)
  }

  /// Everything below `/v1/admin` waits in line, where each caller has its share.
  private var hasShare: Bool { pattern.hasPrefix("/v1/admin/") }

  /// Everything below `/v1` asks the database.
  private var usesDatabase: Bool { pattern.hasPrefix("/v1/") }

  /// Names in braces.
  var pathParameters: [String] {
    pattern.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
  }
}
