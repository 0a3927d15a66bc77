internal import JSON

/// Writes schemas as HTML. Use one instance for all schemas of an operation, so that it shows each named schema once.
struct ReferenceForms {
  enum Style {
    /// A named schema is shown, collapsed, where it first occurs; further occurrences link to it. Its HTML id begins
    /// with this prefix.
    case inPlace(String)
    /// Named schemas are links to their entries. For use on the page of all schemas, because the links do not leave the
    /// page.
    case linked
  }

  private let reference: Reference
  private let style: Style
  private var shown: Set<String> = []

  init(_ reference: Reference, _ style: Style) {
    self.reference = reference
    self.style = style
  }

  /// Returns the HTML description of a schema; empty if the schema is nil.
  /// - Parameters:
  ///   - before: HTML to put before the description, such as "list of ".
  ///   - isChoice: whether the schema is one of several alternatives; an object with a title is then collapsed under
  ///     its title.
  mutating func form(_ schema: JSONTree?, before: String = "", isChoice: Bool = false) -> String {
    guard let schema else { return "" }
    if let name = schema["$ref"]?.string?.split(separator: "/").last { return named(String(name), before) }
    if let choices = schema["oneOf"]?.elements {
      var texts: [String] = []
      for choice in choices { texts.append(form(choice, isChoice: true)) }
      return before + texts.joined(separator: " or ")
    }
    if let words = schema["enum"]?.elements { return before + words.map(ReferenceText.code).joined(separator: ", ") }
    if let element = schema["items"] {
      return form(element, before: before + "list of ") + bounds(schema, "minItems", "maxItems")
    }
    if schema["properties"] != nil {
      guard let title = schema["title"]?.string, isChoice else { return before + members(of: schema) }
      return folded("\(before)\(title)", members(of: schema))
    }
    return before + plain(schema)
  }

  /// Returns a short description of a value without members, as HTML: type, format or pattern, and bounds.
  private func plain(_ schema: JSONTree) -> String {
    let names = schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
    let kind = names.compactMap(\.string).joined(separator: " or ")
    let format = schema["format"]?.string.map { ", \($0)" } ?? ""
    let pattern =
      schema["format"] == nil && schema["pattern"]?.string != JSONSchema.withoutNull
      ? schema["pattern"]?.string.map { ", <code>\(ReferenceText.escaped($0))</code>" } ?? "" : ""
    return kind + format + pattern + bounds(schema, "minimum", "maximum")
      + (schema["x-maxBytes"]?.string.map { ", up to \($0) bytes" } ?? "")
  }

  private mutating func named(_ name: String, _ before: String) -> String {
    guard case .inPlace(let prefix) = style else { return "\(before)<a href=\"#schema-\(name)\">\(name)</a>" }
    let id = "\(prefix).\(name)"
    guard shown.insert(name).inserted else { return "\(before)<a href=\"#\(id)\">\(name)</a>" }
    let schema = reference.document["components"]?["schemas"]?[name] ?? .object([])
    let about = schema["description"]?.string.map(ReferenceText.prose) ?? ""
    return folded("\(before)\(name)", about + form(schema), id: " id=\"\(id)\"")
  }

  private func folded(_ summary: String, _ html: String, id: String = "") -> String {
    "<details class=\"form\"\(id)><summary>\(summary)</summary><div>\(html)</div></details>"
  }

  /// Returns the members of an object as an HTML list; the word "object" if it has none.
  private mutating func members(of schema: JSONTree) -> String {
    let needed = Set((schema["required"]?.elements ?? []).compactMap(\.string))
    var rows = ""
    for (name, property) in schema["properties"]?.members ?? [] {
      let about = property["description"]?.string.map { " <span>\(ReferenceText.line($0))</span>" } ?? ""
      rows += row(name, isNeeded: needed.contains(name), form(property) + about)
    }
    return rows.isEmpty ? "object" : "<dl>\n\(rows)</dl>\n"
  }

  /// Returns a row of an HTML list with the name and the description of a member or parameter.
  /// - Parameters:
  ///   - isNeeded: false to mark the name as optional.
  ///   - about: the description as HTML.
  func row(_ name: String, isNeeded: Bool, _ about: String) -> String {
    let optional = isNeeded ? "" : " <i>\(reference.language.pick("optional", "선택"))</i>"
    return "<div><dt><code>\(ReferenceText.escaped(name))</code>\(optional)</dt><dd>\(about)</dd></div>\n"
  }

  private func bounds(_ schema: JSONTree, _ least: String, _ most: String) -> String {
    switch (schema[least]?.string, schema[most]?.string) {
    case (let least?, let most?): ", \(least)…\(most)"
    case (let least?, nil): ", \(least) or more"
    case (nil, let most?): ", up to \(most)"
    case (nil, nil): ""
    }
  }
}
