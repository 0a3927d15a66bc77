internal import JSON

/// A call as a JavaScript module for Node 18 or later, with Node's own `fetch`.
enum NodeSample: SampleLanguage {
  static let title = "Node"
  static let key = "node"

  static func source(_ call: SampleCall) -> String {
    let assignments = call.values.map { "const \(SampleName.camel($0.name)) = \(quoted($0.value));\n" }.joined()
    var headers: [String] = []
    if let credential = call.credential { headers.append("Authorization: `Bearer ${\(SampleName.camel(credential))}`") }
    for name in call.headers { headers.append("\"\(name)\": \(SampleName.camel(name))") }
    var (imports, body) = ("", "")
    if let (type, content) = call.body {
      headers.append("\"Content-Type\": \"\(type)\"")
      switch content {
      case .json(let example): body = "  body: JSON.stringify(\(indented(example.pretty(), by: 2))),\n"
      case .file:
        imports = "import { readFile } from \"node:fs/promises\";\n\n"
        body = "  body: await readFile(file),\n"
      }
    }
    let lines = headers.map { "    \($0),\n" }.joined()
    let shown = headers.isEmpty ? "" : "  headers: {\n\(lines)  },\n"
    return """
      // node sample.mjs
      \(imports)\(assignments)
      const answer = await fetch(`${url}\(address(call))`, {
        method: "\(call.method)",
      \(shown)\(body)});
      console.log(answer.status, await answer.text());
      """
  }

  private static func address(_ call: SampleCall) -> String {
    let path = call.path.map { part in
      switch part {
      case .literal(let text): text
      case .variable(let name): "${encodeURIComponent(\(SampleName.camel(name)))}"
      }
    }.joined()
    let query = call.query.map { "\($0)=${encodeURIComponent(\(SampleName.camel($0)))}" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }
}
