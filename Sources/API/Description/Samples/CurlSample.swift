internal import JSON

/// A call as a command line of curl for a POSIX shell.
enum CurlSample: SampleLanguage {
  static let title = "curl"
  static let key = "curl"

  static func source(_ call: SampleCall) -> String {
    let assignments = call.values.map { "\(SampleName.capitals($0.name))=\(literal($0.value))\n" }.joined()
    var words = ["curl -sS"]
    if call.method != "GET" { words.append("-X \(call.method)") }
    words.append("\"$URL\(address(call))\"")
    if let credential = call.credential {
      words.append("-H \"Authorization: Bearer $\(SampleName.capitals(credential))\"")
    }
    for name in call.headers { words.append("-H \"\(name): $\(SampleName.capitals(name))\"") }
    if let (type, content) = call.body {
      words.append("-H 'Content-Type: \(type)'")
      switch content {
      case .json(let example): words.append("-d \(literal(String(decoding: example.bytes, as: UTF8.self)))")
      case .file: words.append("--data-binary \"@$FILE\"")
      }
    }
    return assignments + "\n" + words.joined(separator: " \\\n  ")
  }

  private static func address(_ call: SampleCall) -> String {
    let path = call.path.map { part in
      switch part {
      case .literal(let text): text
      case .variable(let name): "$\(SampleName.capitals(name))"
      }
    }.joined()
    let query = call.query.map { "\($0)=$\(SampleName.capitals($0))" }.joined(separator: "&")
    return query.isEmpty ? path : "\(path)?\(query)"
  }

  /// Returns the text in single quotes, as one word for a POSIX shell.
  static func literal(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }
}
