internal import HTTPClient

/// A request body that costs its reader more than others of the same length.
struct WorstBody: Sendable {
  enum Content: String, CaseIterable {
    case names, lists, nesting, marks, escapes, texts, digits

    /// A JSON value of about this many bytes.
    func json(_ bytes: Int) -> String {
      switch self {
      case .names: "{" + Self.list(bytes) { "\"\($0)\":0" } + "}"
      case .lists:
        "{\"a\":["
          + Self.list(bytes) { number in "{" + (0..<900).map { "\"\(number)-\($0)\":0" }.joined(separator: ",") + "}" }
          + "]}"
      case .nesting:
        "{\"a\":["
          + Self.list(bytes) { _ in String(repeating: "[", count: 24) + String(repeating: "]", count: 24) } + "]}"
      case .marks: "{\"a" + String(repeating: "\u{301}\u{316}", count: bytes / 4) + "\":0}"
      case .escapes: "{\"a\":\"" + String(repeating: #"\u00e9"#, count: bytes / 6) + "\"}"
      case .texts: "[" + Self.list(bytes) { "\"\($0)\"" } + "]"
      case .digits: "1" + String(repeating: "0", count: bytes)
      }
    }

    private static func list(_ bytes: Int, _ element: (Int) -> String) -> String {
      var text = ""
      var number = 0
      while text.utf8.count < bytes {
        text += (number > 0 ? "," : "") + element(number)
        number += 1
      }
      return text
    }
  }

  let label: String
  let request: HTTPRequest
  let isFile: Bool

  init(_ label: String, _ target: String, _ type: String, bearer: String?, _ body: String) {
    self.label = label
    isFile = type == "text/csv"
    var headers = [(name: "Content-Type", value: type)]
    if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    request = HTTPRequest("POST", target, headers: headers, body: Array(body.utf8))
  }
}
