internal import JSON

/// The API reference, which shows the OpenAPI document as HTML: an index, a page for each area, and a page of all
/// schemas.
/// Decision 157.
struct Reference {
  /// An operation of the document, or an event of its webhooks.
  struct Operation {
    let id: String
    let method: String
    let path: String
    let node: JSONTree
    /// True if this server sends the request to a webhook; false if it receives the request.
    let isEvent: Bool
  }

  struct Area {
    /// Name of the page in its path, without the suffix of the language.
    let slug: String
    let name: String
    let about: String
    let operations: [Operation]
  }

  let document: JSONTree
  let language: HandbookLanguage
  let areas: [Area]
  private let words: ReferenceWords?

  /// Name of the page of all schemas.
  static let schemas = "schemas"

  /// Creates the reference from the OpenAPI document.
  /// - Parameter words: Korean titles, used only if the language is Korean; nil for English titles in both languages.
  init(_ document: JSONTree, _ language: HandbookLanguage, words: ReferenceWords?) {
    self.document = document
    self.language = language
    self.words = language == .korean ? words : nil
    let calls =
      Self.operations(document["paths"], areEvents: false) + Self.operations(document["webhooks"], areEvents: true)
    areas = (document["tags"]?.elements ?? []).map { tag in
      let name = tag["name"]?.string ?? ""
      return Area(
        slug: Self.slug(name), name: name, about: tag["description"]?.string ?? "",
        operations: calls.filter { $0.node["tags"]?.elements.first?.string == name })
    }
  }

  private static func operations(_ paths: JSONTree?, areEvents: Bool) -> [Operation] {
    (paths?.members ?? []).flatMap { path, item in
      item.members.filter { $0.name != "parameters" }.map { method, node in
        Operation(
          id: node["operationId"]?.string ?? "", method: method.uppercased(), path: path, node: node, isEvent: areEvents
        )
      }
    }
  }

  private static func slug(_ name: String) -> String { Endpoint.Area(rawValue: name)?.slug ?? WebhookSection.slug }

  /// Names of all pages; the empty name is that of the index.
  static let slugs = [""] + Endpoint.Area.allCases.map(\.slug) + [WebhookSection.slug, schemas]

  /// Returns the path of a page; an empty name means the index.
  static func path(_ slug: String, _ language: HandbookLanguage) -> String {
    HandbookPage.path(slug.isEmpty ? "api" : "api/\(slug)", language)
  }

  func path(_ slug: String) -> String { Self.path(slug, language) }

  // MARK: Titles

  func title(_ area: Area) -> String { words?.texts["area.\(area.slug)"] ?? area.name }
  func title(_ operation: Operation) -> String {
    words?.texts["operation.\(operation.id)"] ?? operation.node["summary"]?.string ?? operation.path
  }

  /// Returns the title of a page; that of the index if the name is empty or unknown.
  func title(ofPage slug: String) -> String {
    if slug == Self.schemas { return language.pick("Schemas", "스키마") }
    return areas.first { $0.slug == slug }.map(title) ?? language.pick("API reference", "API 레퍼런스")
  }

  /// HTML attribute, with a leading space, that marks text which stays English on a Korean page; empty on an English
  /// page.
  var foreign: String { language == .korean ? " lang=\"en\"" : "" }

  /// Returns the parameters of the operation's path (none for an event), followed by those of the operation itself,
  /// with references resolved.
  func parameters(of operation: Operation) -> [JSONTree] {
    let ofPath = operation.isEvent ? [] : document["paths"]?[operation.path]?["parameters"]?.elements ?? []
    return (ofPath + (operation.node["parameters"]?.elements ?? [])).map(resolved)
  }

  func sample(of operation: Operation) -> SampleCall {
    SampleCall(operation.node, operation.method, operation.path, parameters(of: operation))
  }

  func resolved(_ node: JSONTree) -> JSONTree {
    guard let path = node["$ref"]?.string else { return node }
    return path.split(separator: "/").dropFirst().reduce(JSONTree?.some(document)) { $0?[String($1)] } ?? node
  }
}
