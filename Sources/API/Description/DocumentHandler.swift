internal import Domain
internal import HTTPServer
internal import JSON

/// Serves the handbook at `/docs` and below, and the API description: as pages at `/docs/api` and below, and as the
/// OpenAPI document at `/openapi.json`. A client that has the current version gets 304. No credential is required,
/// because nothing served here is specific to this installation.
final class DocumentHandler {
  /// The OpenAPI document, built at the first request for it or a page of it, because most servers never get one.
  private static let document: (tree: JSONTree, bytes: [UInt8]) = {
    let document = Document.make()
    return (document, document.bytes)
  }()

  private enum Paths {
    static let document: StaticString = "/openapi.json"
    static let style = "/docs/page.css"
  }

  private let handbook: Handbook
  private let reference: [String: (slug: String, language: HandbookLanguage)]

  init(_ handbook: Handbook) {
    self.handbook = handbook
    var reference = handbook.referencePaths
    // Without the handbook's files, `/docs` shows the API reference.
    if handbook.files["/docs"] == nil { reference["/docs"] = ("", .english) }
    self.reference = reference
  }

  /// Returns whether this handler serves the request's path: the document, or an existing page, style sheet or script.
  func serves(_ request: Request) -> Bool {
    if request.pathEquals(Paths.document) { return true }
    guard request.path.hasPrefix("/docs") else { return false }
    let path = request.path
    return path == Paths.style || handbook.files[path] != nil || reference[path] != nil
      || path == Handbook.scriptPath && handbook.script != nil
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed([.get, .head], requestID: request.id, in: request.language))
    }
    // Render and compress once for all loops.
    guard let file = handbook.prepared.file(request.path, { make(request.path) }) else { return }
    responder.send(
      file.response(
        to: request,
        headers: [
          ("Content-Security-Policy", Self.policy + (reference[request.path] == nil ? "" : Self.scripts)),
          ("Referrer-Policy", "no-referrer"),
        ]))
  }

  private func make(_ path: String) -> PreparedFile? {
    switch path {
    case "\(Paths.document)": return PreparedFile("application/json", Self.document.bytes)
    case Paths.style: return PreparedFile("text/css; charset=utf-8", Array(PageStyle.css.utf8))
    case Handbook.scriptPath: return handbook.script.map { PreparedFile("text/javascript; charset=utf-8", $0) }
    default:
      let page =
        handbook.files[path]
        ?? reference[path].flatMap { handbook.reference($0.slug, $0.language, of: Self.document.tree) }
      return page.map { PreparedFile("text/html; charset=utf-8", Array($0.utf8)) }
    }
  }

  /// Content-Security-Policy of all files: permits style sheets of this server, and nothing else.
  private static let policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  /// Directives added for pages of the API reference: they permit scripts of this server and requests to it, but no
  /// markup made from text.
  private static let scripts =
    "; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
}
