internal import JSON
internal import Domain
internal import HTTPServer

/// The error responses of the API description. Each combination of problem codes of one status is described once, as a
/// component to which endpoints refer.
///
/// All have the schema `Problem`, so that a generated client has one type for all errors. The extension
/// `x-problemTypes` lists the codes that a response can have.
struct RefusalResponses {
  /// All error responses, in the order of their names.
  let components: [JSONTree.Member]

  init() {
    var components: [JSONTree.Member] = []
    for endpoint in Endpoint.all {
      for (status, codes) in Self.byStatus(endpoint) where !components.contains(where: { $0.name == Self.name(codes) })
      {
        components.append((Self.name(codes), Self.node(status, codes)))
      }
    }
    for refusal in EngineProblem.allCases where !components.contains(where: { $0.name == Self.name([refusal.type]) }) {
      components.append((Self.name([refusal.type]), Self.node(refusal.status.code, [refusal.type])))
    }
    self.components = components.sorted { $0.name < $1.name }
  }

  func responses(of endpoint: Endpoint) -> [JSONTree.Member] {
    Self.byStatus(endpoint).map { status, codes in
      (String(status), JSONTree.reference(Self.name(codes), in: "responses"))
    }
  }

  /// Returns, in the order of statuses, the problem codes of an endpoint and those with which the HTTP engine may
  /// refuse any request.
  private static func byStatus(_ endpoint: Endpoint) -> [(status: Int, codes: [String])] {
    var codes: [Int: [String]] = [:]
    for code in endpoint.problems { codes[code.status, default: []].append(code.rawValue) }
    for refusal in EngineProblem.allCases where !(codes[refusal.status.code]?.contains(refusal.type) ?? false) {
      // Even an endpoint that expects no body may be sent one, so all can refuse a body that is too large.
      codes[refusal.status.code, default: []].append(refusal.type)
    }
    return codes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func name(_ codes: [String]) -> String {
    codes.map { $0.dropFirst("upmc:".count) }.joined(separator: ".")
  }

  private static func node(_ status: Int, _ codes: [String]) -> JSONTree {
    let lines = codes.map { code in "`\(code)`: \(title(code))." }
    var headers: [JSONTree.Member] = [("X-Request-Id", Document.requestID)]
    if status == 401 { headers.append(("WWW-Authenticate", .reference("WWW-Authenticate", in: "headers"))) }
    if status == 429 || status == 503 { headers.append(("Retry-After", .reference("Retry-After", in: "headers"))) }
    return .object([
      ("description", .text(lines.joined(separator: "\n\n"))), ("headers", .object(headers)),
      ("x-problemTypes", .texts(codes)),
      ("content", .object([("application/problem+json", .object([("schema", JSONSchema.reference("Problem"))]))])),
    ])
  }

  /// Returns the English title of a code of the API or the HTTP engine; the code itself if it is unknown.
  static func title(_ code: String) -> String {
    if let known = Problem.Code(rawValue: code) { return known.title }
    return EngineProblem.allCases.first { $0.type == code }.map { "\($0.title)" } ?? code
  }
}
