internal import JSON

/// A call of an operation, from which the samples of all languages are generated. Each value that only the reader knows
/// is a variable.
struct SampleCall {
  enum Part: Equatable {
    case literal(String)
    case variable(String)
  }

  enum Body {
    case json(JSONTree)
    /// The content of a file, whose path is the variable `file`.
    case file
  }

  /// The operation's `operationId`.
  let name: String
  /// HTTP method in upper case.
  let method: String
  let path: [Part]
  /// Names of the required query parameters, and of `appId` wherever it is accepted.
  let query: [String]
  /// Names of the headers that samples show besides the credential and the Content-Type: the idempotency key wherever
  /// it is accepted, because every send should have one, and the required ones.
  let headers: [String]
  /// Name of the security scheme, the first if there are several; nil if no credential is required. It is also the name
  /// of the variable for the key.
  let credential: String?
  let body: (type: String, content: Body)?
  /// Variables and their values, in the order of assignment.
  private(set) var values: [(name: String, value: String)]

  private static let idempotencyKey = Endpoint.Parameter.idempotencyKey.name

  /// URL of a server with default settings. The page's script replaces it with the URL of the server that serves the
  /// page.
  static let address = "http://127.0.0.1:8080"

  /// Creates the call of an operation. Its body, if the operation has one, is the document's first JSON example, or a
  /// file if there is no such example.
  /// - Parameter parameters: the operation's and its path's parameters, with references resolved.
  init(_ operation: JSONTree, _ method: String, _ path: String, _ parameters: [JSONTree]) {
    func needed(in place: String) -> [String] {
      parameters.filter { $0["in"]?.string == place }
        .filter { $0["required"]?.string == "true" || $0["name"]?.string == Endpoint.Parameter.ofApp().name }
        .compactMap { $0["name"]?.string }
    }
    name = operation["operationId"]?.string ?? ""
    self.method = method.uppercased()
    let parts = Self.parts(of: path)
    self.path = parts
    query = needed(in: "query")
    headers = parameters.compactMap { $0["name"]?.string }.filter { $0 == Self.idempotencyKey } + needed(in: "header")
    credential = (operation["security"]?.elements ?? []).flatMap { $0.members.map(\.name) }.first
    body = (operation["requestBody"]?["content"]?.members.first).map { content in
      let example = content.value["example"] ?? content.value["examples"]?.members.first?.value["value"]
      if content.name.hasSuffix("json"), let example { return (content.name, .json(example)) }
      return (content.name, .file)
    }
    values = [("url", Self.address)]
    if let credential { values.append((credential, "YOUR_\(SampleName.capitals(credential))")) }
    for part in parts { if case .variable(let name) = part { values.append((name, Self.example(name, parameters))) } }
    for name in query + headers { values.append((name, Self.example(name, parameters))) }
    if let body, case .file = body.content { values.append(("file", body.type == "text/csv" ? "people.csv" : "FILE")) }
  }

  /// Returns the call with other values for its variables, by name. Variables without another value keep theirs; names
  /// of variables that the call does not have are ignored.
  func with(_ others: [String: String]) -> SampleCall {
    var call = self
    call.values = values.map { ($0.name, others[$0.name] ?? $0.value) }
    return call
  }

  private static func parts(of path: String) -> [Part] {
    var parts: [Part] = []
    var literal = ""
    for piece in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      literal += "/"
      if piece.hasPrefix("{") && piece.hasSuffix("}") {
        parts += [.literal(literal), .variable(String(piece.dropFirst().dropLast()))]
        literal = ""
      } else {
        literal += piece
      }
    }
    return literal.isEmpty ? parts : parts + [.literal(literal)]
  }

  /// Returns a value for a parameter: the document's example, or that of the path parameter with the same name;
  /// otherwise the first enumerated value of its schema, or `1`. Idempotency keys have a fixed value.
  private static func example(_ name: String, _ parameters: [JSONTree]) -> String {
    if name == idempotencyKey { return "order-4711" }
    let parameter = parameters.first { $0["name"]?.string == name }
    return parameter?["example"]?.string ?? PathParameter.all.first { $0.name == name }?.example.string
      ?? parameter?["schema"]?["enum"]?.elements.first?.string ?? "1"
  }
}

/// Spellings of variable names in different languages, derived from their words: `Idempotency-Key` consists of
/// `idempotency` and `key`.
enum SampleName {
  private static func words(_ name: some StringProtocol) -> [String] {
    var words = [""]
    for letter in name {
      if letter == "-" || letter == "_" {
        words.append("")
      } else {
        if letter.isUppercase, words.last?.last?.isLowercase == true { words.append("") }
        words[words.count - 1].append(letter)
      }
    }
    return words.filter { !$0.isEmpty }.map { $0.lowercased() }
  }

  /// Returns the name in upper case with underscores: `CLIENT_UID`.
  static func capitals(_ name: some StringProtocol) -> String { words(name).joined(separator: "_").uppercased() }
  /// Returns the name in snake case: `client_uid`.
  static func snake(_ name: some StringProtocol) -> String { words(name).joined(separator: "_") }
  /// Returns the name in camel case: `clientUid`.
  static func camel(_ name: some StringProtocol) -> String {
    words(name).enumerated().map { $0 == 0 ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
  }
  /// Returns the name in Pascal case: `ClientUid`.
  static func pascal(_ name: some StringProtocol) -> String {
    words(name).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
