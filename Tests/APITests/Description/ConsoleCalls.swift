import Foundation

/// The calls that stand in the console's scripts, as `METHOD /v1/admin/…` with `{}` for what is filled in.
///
/// It reads what the house writes: `get(`, `post(` … `call("PUT", ` of `api.js`, with the path as a literal, or as the
/// `path` that the same file declared before; the ends of plain addresses such as `/v1/admin/exports/users`.
struct ConsoleCalls {
  struct Call: Hashable {
    let method: String
    let path: String
    let file: String
    var name: String { "\(method) /v1/admin\(path)" }
  }

  private(set) var calls: [Call] = []
  /// What was found but not understood.
  private(set) var riddles: [String] = []

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Public/assets")
    .standardized

  private static let verbs = [
    "get": "GET", "all": "GET", "post": "POST", "putTo": "PUT", "patch": "PATCH", "remove": "DELETE",
  ]

  init() throws {
    let files = FileManager.default.enumerator(at: Self.root, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "js", file.lastPathComponent != "api.js" else { continue }
      read(try String(contentsOf: file, encoding: .utf8), file.lastPathComponent)
    }
  }

  private mutating func read(_ text: String, _ file: String) {
    let pattern =
      /(?:^|[^\w.])(get|all|post|putTo|patch|remove|call)\((?:"(GET|POST|PUT|PATCH|DELETE)", )?/
    for match in text.matches(of: pattern) {
      let verb = String(match.1)
      let method = match.2.map(String.init) ?? Self.verbs[verb] ?? ""
      let rest = text[match.range.upperBound...]
      let paths = Self.paths(rest, before: text[..<match.range.lowerBound])
      if paths.isEmpty { riddles.append("\(file): \(verb)(\(rest.prefix(40))") }
      for path in paths {
        calls.append(Call(method: method, path: path, file: file))
      }
    }
    for match in text.matches(of: /`\/v1\/admin([^`]+)`/) {
      let path = Self.filled(String(match.1), declared: Self.declared(before: text[..<match.range.lowerBound]).first)
      calls.append(Call(method: "GET", path: path, file: file))
    }
  }

  /// The paths at the beginning of a call's arguments; none when they cannot be told.
  private static func paths(_ text: Substring, before: Substring) -> [String] {
    let declared = Self.declared(before: before)
    if let literal = literal(text) { return [filled(literal, declared: declared.first)] }
    return text.prefixMatch(of: /path\b/) == nil ? [] : declared
  }

  /// What `path` is there: as the nearest declaration before says. A function has a path for each of its cases.
  private static func declared(before: Substring) -> [String] {
    guard let declaration = before.matches(of: /const path\s=\s/).last else { return [] }
    return literals(before[declaration.range.upperBound...].prefix { $0 != ";" }).map { filled($0, declared: nil) }
  }

  private static func literals(_ text: Substring) -> [String] {
    var found: [String] = []
    var rest = text
    while let start = rest.firstIndex(where: { $0 == "`" || $0 == "\"" }) {
      guard let literal = literal(rest[start...]) else { break }
      if literal.hasPrefix("/") { found.append(literal) }
      rest = rest[rest.index(start, offsetBy: literal.count + 2)...]
    }
    return found
  }

  /// A string or template at the beginning of a text, without its marks.
  private static func literal(_ text: Substring) -> String? {
    guard let mark = text.first, mark == "`" || mark == "\"" else { return nil }
    var depth = 0
    var end = text.index(after: text.startIndex)
    while end < text.endIndex {
      let character = text[end]
      if mark == "`", text[end...].hasPrefix("${") { depth += 1 }
      if depth > 0, character == "}" {
        depth -= 1
      } else if depth == 0, character == mark {
        return String(text[text.index(after: text.startIndex)..<end])
      }
      end = text.index(after: end)
    }
    return nil
  }

  /// `{}` for what is filled in, without the query string.
  private static func filled(_ template: String, declared: String?) -> String {
    var path = ""
    var rest = Substring(template)
    while let character = rest.first {
      if rest.hasPrefix("${") {
        let hole = inside(rest)
        if hole.hasPrefix("query(") || hole.contains("?last") { break }
        path += hole == "path" ? declared ?? "{}" : "{}"
        rest = rest.dropFirst(hole.count + 3)
      } else if character == "?" {
        break
      } else {
        path.append(character)
        rest = rest.dropFirst()
      }
    }
    return path
  }

  private static func inside(_ text: Substring) -> Substring {
    var depth = 0
    var index = text.index(text.startIndex, offsetBy: 2)
    while index < text.endIndex {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" {
        if depth == 0 { return text[text.index(text.startIndex, offsetBy: 2)..<index] }
        depth -= 1
      }
      index = text.index(after: index)
    }
    return text
  }
}
