internal import JSON

/// Renders the OpenAPI document as HTML, to be placed in the handbook's layout. `<details>` hides long parts.
struct Page {
  private let document: JSONTree
  private var html = ""

  static func make(_ document: JSONTree) -> String {
    var page = Page(document: document)
    page.write()
    return page.html
  }

  static let title = "API reference"

  /// Returns the headings of the page for the sidebar: the areas of the API, and what follows them.
  static func areas(of document: JSONTree) -> [(id: String, text: String)] {
    let names = (document["tags"]?.elements ?? []).map { $0["name"]?.string ?? "" }
    return names.map { (id(ofArea: $0), $0) } + [("credentials", "Credentials"), ("schemas", "Schemas")]
  }

  private static func id(ofArea name: String) -> String {
    "area-" + name.lowercased().map { $0.isLetter ? String($0) : "-" }.joined()
  }

  private init(document: JSONTree) {
    self.document = document
  }

  private mutating func write() {
    html += """
      <h1>\(Self.title)</h1>
      <p>\(Self.escaped(document["info"]?["summary"]?.string ?? "")) Version \
      \(Self.escaped(document["info"]?["version"]?.string ?? "")) of its API, \
      for programs at <a href="/openapi.json">/openapi.json</a>.</p>

      """
    html += "<section>\(Self.prose(document["info"]?["description"]?.string ?? ""))</section>\n"
    for area in document["tags"]?.elements ?? [] { write(area: area) }
    writeCredentials()
    html += "<section id=\"schemas\"><h2>Schemas</h2>\n"
    for (name, schema) in document["components"]?["schemas"]?.members ?? [] { write(schema, named: name) }
    html += "</section>\n"
  }

  // MARK: Operations

  private func operations(_ area: String) -> [(path: String, method: String, node: JSONTree)] {
    ((document["paths"]?.members ?? []) + (document["webhooks"]?.members ?? [])).flatMap { path, item in
      item.members.filter { $0.value["tags"]?.elements.first?.string == area }.map { (path, $0.name, $0.value) }
    }
  }

  /// The list of operations beside the page, by area, with a filter that the page's script shows.
  static func index(of document: JSONTree) -> String {
    let page = Page(document: document)
    var html = """
      <nav class="sections operations" aria-label="Operations">
      <p hidden><label>Filter <input type="search" id="filter" autocomplete="off" spellcheck="false"></label> \
      <span role="status"></span></p>

      """
    for area in document["tags"]?.elements ?? [] {
      let name = area["name"]?.string ?? ""
      html += "<details><summary>\(escaped(name))</summary><ul>\n"
      html += "<li><a href=\"#\(id(ofArea: name))\">Overview</a></li>\n"
      for (path, method, node) in page.operations(name) {
        let (id, summary) = (node["operationId"]?.string ?? "", node["summary"]?.string ?? path)
        html += """
          <li data-words="\(escaped("\(method) \(path) \(id) \(summary)".lowercased()))"><a href="#\(id)">\
          <code>\(method.uppercased())</code> \(escaped(summary))</a></li>

          """
      }
      html += "</ul></details>\n"
    }
    let areas = (document["tags"]?.elements ?? []).count
    let rest = Self.areas(of: document).dropFirst(areas).map {
      "<li><a href=\"#\($0.id)\">\(escaped($0.text))</a></li>\n"
    }
    return html + "<ul>\n\(rest.joined())</ul>\n</nav>\n"
  }

  private mutating func write(area: JSONTree) {
    let name = area["name"]?.string ?? ""
    html +=
      "<section id=\"\(Self.id(ofArea: name))\"><h2>\(Self.escaped(name))</h2>\n\(Self.prose(area["description"]?.string ?? ""))\n"
    for (path, method, node) in operations(name) { write(node, method, path) }
    html += "</section>\n"
  }

  private mutating func write(_ operation: JSONTree, _ method: String, _ path: String) {
    html += """
      <article id="\(operation["operationId"]?.string ?? "")">
      <h3>\(Self.escaped(operation["summary"]?.string ?? ""))</h3>
      <p class="call"><code><b>\(method.uppercased())</b> \(Self.escaped(path))</code></p>
      \(Self.prose(operation["description"]?.string ?? ""))

      """
    let schemes = (operation["security"]?.elements ?? []).flatMap { $0.members.map(\.name) }
    html += schemes.isEmpty ? "<p>No credential.</p>\n" : "<p>Credential: \(schemes.joined(separator: " or ")).</p>\n"
    let parameters =
      ((document["paths"]?[path]?["parameters"]?.elements ?? []) + (operation["parameters"]?.elements ?? [])).map(
        resolved)
    if document["paths"]?[path] != nil {
      let sample = CurlSample.of(operation, method, path, parameters)
      html += "<details><summary>curl</summary><pre>\(Self.escaped(sample))</pre></details>\n"
    }
    write(parameters: parameters)
    if let content = operation["requestBody"]?["content"]?.members.first {
      let bound = operation["requestBody"]?["x-maxBytes"]?.string.map { ", up to \($0) bytes" } ?? ""
      html += "<p>Body: \(type(content.value["schema"]))\(bound)</p>\n"
      for (name, example) in content.value["examples"]?.members ?? [] {
        html += example["value"].map { Self.code($0, title: "Example: \(name)") } ?? ""
      }
      html += content.value["example"].map { Self.code($0, title: "Example") } ?? ""
    }
    write(responses: operation["responses"]?.members ?? [])
    html += "</article>\n"
  }

  private mutating func write(parameters: [JSONTree]) {
    guard !parameters.isEmpty else { return }
    html += "<table><tr><th>Parameter</th><th>In</th><th>Form</th><th>Meaning</th></tr>\n"
    for parameter in parameters {
      let isNeeded = parameter["required"]?.string == "true"
      html += """
        <tr><td><code>\(Self.escaped(parameter["name"]?.string ?? ""))</code>\(isNeeded ? "" : "?")</td>\
        <td>\(parameter["in"]?.string ?? "")</td><td>\(type(parameter["schema"]))</td>\
        <td>\(Self.line(parameter["description"]?.string ?? ""))</td></tr>

        """
    }
    html += "</table>\n"
  }

  private mutating func write(responses: [JSONTree.Member]) {
    html += "<table><tr><th>Status</th><th>Meaning</th></tr>\n"
    for (status, response) in responses.map({ ($0.name, resolved($0.value)) }) {
      html += "<tr><td>\(status)</td><td>\(Self.prose(response["description"]?.string ?? ""))"
      if let content = response["content"]?.members.first, !status.hasPrefix("4"), !status.hasPrefix("5") {
        html += "<div>\(type(content.value["schema"]))</div>"
        html += content.value["example"].map { Self.code($0, title: "Example") } ?? ""
      }
      html += "</td></tr>\n"
    }
    html += "</table>\n"
  }

  private mutating func writeCredentials() {
    html += "<section id=\"credentials\"><h2>Credentials</h2><table><tr><th>Name</th><th>Meaning</th></tr>\n"
    for (name, scheme) in document["components"]?["securitySchemes"]?.members ?? [] {
      html += "<tr><td>\(name)</td><td>\(Self.line(scheme["description"]?.string ?? ""))</td></tr>\n"
    }
    html += "</table><p>Each as <code>Authorization: Bearer …</code></p></section>\n"
  }

  // MARK: Schemas

  private mutating func write(_ schema: JSONTree, named name: String) {
    html += "<article id=\"schema-\(name)\"><h3>\(name)</h3>\n"
    html += schema["description"]?.string.map(Self.prose) ?? ""
    html += schema["properties"] == nil ? "<div>\(type(schema))</div>\n" : members(of: schema)
    html += "</article>\n"
  }

  private func members(of schema: JSONTree) -> String {
    let needed = Set((schema["required"]?.elements ?? []).compactMap(\.string))
    let rows = (schema["properties"]?.members ?? []).map { name, property in
      """
      <tr><td><code>\(Self.escaped(name))</code>\(needed.contains(name) ? "" : "?")</td><td>\(type(property))</td>\
      <td>\(Self.line(property["description"]?.string ?? ""))</td></tr>

      """
    }
    return "<table><tr><th>Member</th><th>Form</th><th>Meaning</th></tr>\n\(rows.joined())</table>\n"
  }

  /// Describes the type of a value in a few words.
  private func type(_ schema: JSONTree?) -> String {
    guard let schema else { return "" }
    if let name = schema["$ref"]?.string?.split(separator: "/").last {
      return "<a href=\"#schema-\(name)\">\(name)</a>"
    }
    if let choices = schema["oneOf"]?.elements { return choices.map { type($0) }.joined(separator: " or ") }
    if let words = schema["enum"]?.elements { return words.map(Self.code).joined(separator: ", ") }
    if let element = schema["items"] { return "list of \(type(element))\(bounds(schema, "minItems", "maxItems"))" }
    if schema["properties"] != nil { return members(of: schema) }
    let names = schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
    let kind = names.compactMap(\.string).joined(separator: " or ")
    let format = schema["format"]?.string.map { ", \($0)" } ?? ""
    let pattern =
      schema["format"] == nil && schema["pattern"]?.string != JSONSchema.withoutNull
      ? schema["pattern"]?.string.map { ", <code>\(Self.escaped($0))</code>" } ?? "" : ""
    return kind + format + pattern + bounds(schema, "minimum", "maximum")
      + (schema["x-maxBytes"]?.string.map { ", up to \($0) bytes" } ?? "")
  }

  private func bounds(_ schema: JSONTree, _ least: String, _ most: String) -> String {
    switch (schema[least]?.string, schema[most]?.string) {
    case (let least?, let most?): ", \(least)…\(most)"
    case (let least?, nil): ", \(least) or more"
    case (nil, let most?): ", up to \(most)"
    case (nil, nil): ""
    }
  }

  private func resolved(_ node: JSONTree) -> JSONTree {
    guard let path = node["$ref"]?.string else { return node }
    return path.split(separator: "/").dropFirst().reduce(JSONTree?.some(document)) { $0?[String($1)] } ?? node
  }

  // MARK: Text

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { html, character in
      switch character {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      default: html.append(character)
      }
    }
  }

  /// Renders the few Markdown elements that the document's texts use: paragraphs, `code` and **strong**.
  static func prose(_ text: String) -> String {
    var paragraphs: [String] = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        paragraphs.append("")
      } else {
        paragraphs[paragraphs.count - 1] += "\(line) "
      }
    }
    return paragraphs.map { "<p>\(self.line($0))</p>" }.joined()
  }

  static func line(_ text: String) -> String {
    let parts = escaped(text).replacing("\\|", with: "|").split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      if index % 2 == 1 { return "<code>\(part)</code>" }
      let strong = part.split(separator: "**", omittingEmptySubsequences: false)
      return strong.enumerated().map { $0 % 2 == 1 ? "<b>\($1)</b>" : String($1) }.joined()
    }.joined()
  }

  private static func code(_ node: JSONTree) -> String {
    "<code>\(escaped(String(decoding: node.bytes, as: UTF8.self)))</code>"
  }

  private static func code(_ node: JSONTree, title: String) -> String {
    "<details><summary>\(escaped(title))</summary><pre>\(escaped(node.pretty()))</pre></details>\n"
  }
}
