internal import HTTPServer
internal import Domain
internal import Operations

/// One operation of the API, as the document tells it.
struct APIOperation: Sendable {
  /// What proves the right to call it.
  enum Proof: Sendable {
    case nothing
    /// The client key inside the app, or the authKey of the device that registers again.
    case clientKey
    /// The authKey of the device in the path.
    case authKey
    /// An API key with one of these roles.
    case apiKey(roles: [String])
  }

  /// A parameter in the query or in a header; those in the path are known by their names.
  struct Parameter: Sendable {
    enum Place: String, Sendable { case query, header }

    let place: Place
    let name: String
    let schema: Node
    let about: String
    var isNeeded = false
  }

  /// What the request carries.
  struct Body: Sendable {
    let schema: String
    /// By name; the first is shown.
    let examples: [(name: String, json: String)]
    var type = "application/json"
  }

  /// A good end.
  struct Answer: Sendable {
    let status: Int
    let about: String
    /// Nil when there is no body.
    let schema: String?
    let example: String?
    /// Other operations that may follow, with the parameters that this answer gives them.
    let links: [Link]
    let type: String

    init(
      _ status: Int, _ about: String, _ schema: String? = nil, example: String? = nil, links: [Link] = [],
      type: String = "application/json"
    ) {
      self.type = type
      self.status = status
      self.about = about
      self.schema = schema
      self.example = example
      self.links = links
    }
  }

  struct Link: Sendable {
    let operation: String
    /// Name of the parameter there, and an expression for its value.
    let parameters: [(name: String, value: String)]

    /// - Parameter value: a runtime expression of OpenAPI.
    init(_ operation: String, _ name: String, _ value: String) {
      self.operation = operation
      parameters = [(name, value)]
    }
  }

  let method: Method
  /// As in the router: `/v1/devices/{device}`.
  let pattern: String
  let id: String
  let area: Area
  let summary: String
  let about: String
  let proof: Proof
  let parameters: [Parameter]
  let body: Body?
  let answers: [Answer]
  /// What this operation refuses on its own account.
  let ownProblems: [Problem.Code]

  init(
    _ method: Method, _ pattern: String, id: String, in area: Area, _ summary: String, _ about: String, by proof: Proof,
    parameters: [Parameter] = [], body: Body? = nil, answers: [Answer], problems: [Problem.Code] = []
  ) {
    self.method = method
    self.pattern = pattern
    self.id = id
    self.area = area
    self.summary = summary
    self.about = about
    self.proof = proof
    self.parameters = parameters
    self.body = body
    self.answers = answers
    ownProblems = problems
  }

  /// Everything that it may refuse: its own problems, those of its credential, of its body, and of waiting in line.
  var problems: [Problem.Code] {
    // Forms are answered in an envelope of their own, whatever the matter is.
    if area == .sdk { return [] }
    var problems = ownProblems
    switch proof {
    case .nothing: break
    case .clientKey: problems += [.noCredential, .badCredential, .forbidden]
    case .authKey: problems += [.noCredential, .badCredential, .forbidden, .unknownDevice]
    case .apiKey: problems += [.noCredential, .badCredential, .forbidden]
    }
    if body != nil { problems += [.malformed, .invalidField, .bodyTooLarge, .unsupportedMediaType] }
    if hasShare { problems.append(.tooManyRequests) }
    // `invalidField`: a parameter that is not known, or there twice.
    if usesDatabase { problems += [.invalidField, .busy, .databaseAway, .outcomeUnknown, .internalError] }
    return Problem.Code.allCases.filter(problems.contains)
  }

  /// The most bytes that its body may have; nil where that is for others to say: files tell it themselves.
  var bodyBytes: Int? {
    guard body != nil else { return nil }
    switch (area, id) {
    case (_, "sendFromDevice"): return Operations.Limits.deviceMessageBytes
    case (.confirmations, _): return Operations.Limits.confirmationBytes
    case (_, "signIn"): return HTTPLimits.unaskedBodyBytes
    case (.devices, _): return Operations.Limits.deviceCallBytes
    default: return nil
    }
  }

  /// Everything below `/v1/admin` waits in line, where each caller has its share.
  private var hasShare: Bool { pattern.hasPrefix("/v1/admin/") }

  /// Everything below `/v1` asks the database.
  private var usesDatabase: Bool { pattern.hasPrefix("/v1/") }

  /// Names in braces.
  var pathParameters: [String] {
    pattern.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
  }

  /// Parts of the document, in its order.
  enum Area: String, CaseIterable, Sendable {
    case devices = "Devices"
    case confirmations = "Receipts and reads"
    case messages = "Messages"
    case control = "Control"
    case audiences = "Audiences"
    case people = "People and groups"
    case administration = "Administration"
    case sdk = "Apps built with the existing SDK"
    case server = "Server"

    var about: String {
      switch self {
      case .devices: "What a device says and asks about itself: registration, user, groups, badge."
      case .confirmations:
        "A device confirms messages. No credential is needed: the `pushkey` of each message proves it."
      case .messages: "A back-office system or operator sends, and sees what became of it."
      case .control: "A message on its way: pause, resume, cancel, pace, send again."
      case .audiences: "Tags, saved segments and files: whom a message is for."
      case .people: "Users, their devices and groups, as operators look at them."
      case .administration: "Apps, groups, and devices that are put aside."
      case .sdk: ControllerCall.about
      case .server: "Is it alive, is it ready, and what can it do?"
      }
    }
  }

  /// All of them. A new file of operations is named here.
  static let all: [APIOperation] =
    devices + deviceUser + deviceGroups + deviceBadge + deviceInbox + deviceConsent + deviceTokens + deviceMessages
    + confirmations
    + messages + uploads + reports + control + messageLists + statistics + tags + segments + files + groups + groupTree
    + people + quarantine + apps + appSettings + apiKeys + accounts + adRules
    + webhooks + saved + approvals + imports + exports + controllers + server
}
