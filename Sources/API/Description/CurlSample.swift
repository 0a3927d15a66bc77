internal import JSON

/// An operation as a command line of curl, made from the document's own examples. The shell's variables stand for what only
/// the reader knows: `$URL`, a credential, and what a path names.
enum CurlSample {
  /// - Parameter parameters: the operation's and its path's, resolved.
  static func of(_ operation: JSONTree, _ method: String, _ path: String, _ parameters: [JSONTree]) -> String {
    var words = ["curl -sS"]
    if method != "get" { words.append("-X \(method.uppercased())") }
    words.append("\"$URL\(address(path, parameters))\"")
    let schemes = (operation["security"]?.elements ?? []).flatMap { $0.members.map(\.name) }
    if let scheme = schemes.first { words.append("-H \"Authorization: Bearer $\(variable(scheme))\"") }
    for parameter in parameters where isNeeded(parameter, in: "header") {
      let name = parameter["name"]?.string ?? ""
      words.append("-H \"\(name): $\(variable(name))\"")
    }
    if let content = operation["requestBody"]?["content"]?.members.first {
      words.append("-H 'Content-Type: \(content.name)'")
      let example = content.value["example"] ?? content.value["examples"]?.members.first?.value["value"]
      if content.name.hasSuffix("json"), let example {
        words.append("-d \(quoted(String(decoding: example.bytes, as: UTF8.self)))")
      } else {
        words.append("--data-binary @FILE")
      }
    }
    return words.joined(separator: " \\\n  ")
  }

  /// The path with variables in place of its parameters, and the query parameters that are needed.
  private static func address(_ path: String, _ parameters: [JSONTree]) -> String {
    let filled = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.hasPrefix("{") && part.hasSuffix("}") ? "$\(variable(part.dropFirst().dropLast()))" : String(part)
    }.joined(separator: "/")
    let query = parameters.filter { isNeeded($0, in: "query") }.compactMap { $0["name"]?.string }
    return filled + (query.isEmpty ? "" : "?" + query.map { "\($0)=$\(variable($0))" }.joined(separator: "&"))
  }

  private static func isNeeded(_ parameter: JSONTree, in place: String) -> Bool {
    parameter["in"]?.string == place && parameter["required"]?.string == "true"
  }

  /// `clientUid` as `CLIENT_UID`, `Idempotency-Key` as `IDEMPOTENCY_KEY`.
  static func variable(_ name: some StringProtocol) -> String {
    var text = ""
    for letter in name {
      if letter.isUppercase, text.last?.isLowercase == true { text.append("_") }
      text.append(letter == "-" ? "_" : letter)
    }
    return text.uppercased()
  }

  /// A word in single quotes for a POSIX shell.
  static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
}
