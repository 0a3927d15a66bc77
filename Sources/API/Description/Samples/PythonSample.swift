internal import JSON

/// A call as a program in Python 3 that uses only the standard library.
enum PythonSample: SampleLanguage {
  static let title = "Python"
  static let key = "python"

  static func source(_ call: SampleCall) -> String {
    let assignments = call.values.map { "\(SampleName.snake($0.name)) = \(quoted($0.value))\n" }.joined()
    var headers: [String] = []
    if let credential = call.credential {
      headers.append("\"Authorization\": f\"Bearer {\(SampleName.snake(credential))}\"")
    }
    for name in call.headers { headers.append("\"\(name)\": \(SampleName.snake(name))") }
    var (imports, before, data) = ("", "", "")
    if let (type, content) = call.body {
      headers.append("\"Content-Type\": \"\(type)\"")
      switch content {
      case .json(let example):
        imports = "import json\n"
        before = "body = \(literal(example))\n"
        data = "    data=json.dumps(body).encode(),\n"
      case .file: data = "    data=open(file, \"rb\").read(),\n"
      }
    }
    let quoting = address(call).contains("{quote(") ? "from urllib.parse import quote\n" : ""
    let lines = headers.map { "        \($0),\n" }.joined()
    let shown = headers.isEmpty ? "" : "    headers={\n\(lines)    },\n"
    return """
      \(imports)from urllib.error import HTTPError
      \(quoting)from urllib.request import Request, urlopen

      \(assignments)\(before)
      request = Request(
          \(address(call)),
          method="\(call.method)",
      \(shown)\(data))
      try:
          with urlopen(request) as answer:
              print(answer.status, answer.read().decode())
      except HTTPError as problem:
          print(problem.code, problem.read().decode())
      """
  }

  private static func address(_ call: SampleCall) -> String {
    let path = call.path.map { part in
      switch part {
      case .literal(let text): text
      case .variable(let name): "{quote(\(SampleName.snake(name)), safe='')}"
      }
    }.joined()
    let query = call.query.map { "\($0)={quote(\(SampleName.snake($0)), safe='')}" }.joined(separator: "&")
    return "f\"{url}\(query.isEmpty ? path : "\(path)?\(query)")\""
  }

  /// Returns a JSON value as a Python literal: `True`, `False` and `None`, and everything else as in JSON.
  /// - Parameter indent: number of spaces by which the line with the value is indented.
  private static func literal(_ node: JSONTree, indent: Int = 0) -> String {
    let inner = String(repeating: " ", count: indent + 4)
    let outer = String(repeating: " ", count: indent)
    switch node {
    case .text(let text): return quoted(text)
    case .word(let word): return ["true": "True", "false": "False", "null": "None"][word] ?? word
    case .list(let elements):
      if elements.isEmpty { return "[]" }
      return "[\n" + elements.map { "\(inner)\(literal($0, indent: indent + 4)),\n" }.joined() + "\(outer)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let lines = members.map { "\(inner)\(quoted($0.name)): \(literal($0.value, indent: indent + 4)),\n" }
      return "{\n\(lines.joined())\(outer)}"
    }
  }
}
