internal import Domain
internal import HTTPServer
internal import JSON

/// Serves the handbook at `/docs` and below, and the API description: `/docs/api` for people, `/openapi.json` for
/// programs. A client that has the current version gets 304. No credential is needed, because nothing in them is
/// specific to this installation.
final class DocumentHandler {
  /// Generated at the first request, because most servers are never asked for it.
  private static let description: (document: [UInt8], page: String, index: String) = {
    let document = Document.make()
    return (document.bytes, Page.make(document), Page.index(of: document))
  }()

  private static func files(_ handbook: Handbook) -> [String: PreparedFile] {
    let reference = handbook.reference(title: Page.title, body: description.page, index: description.index)
    var files = handbook.files.mapValues { PreparedFile("text/html; charset=utf-8", Array($0.utf8)) }
    files["/openapi.json"] = PreparedFile("application/json", description.document)
    files[PageScript.path] = PreparedFile("text/javascript; charset=utf-8", Array(PageScript.source.utf8))
    files["/docs/page.css"] = PreparedFile("text/css; charset=utf-8", Array(PageStyle.css.utf8))
    files[HandbookContents.reference] = PreparedFile("text/html; charset=utf-8", Array(reference.utf8))
    // Without the handbook's files, `/docs` shows the API reference.
    if files["/docs"] == nil { files["/docs"] = files[HandbookContents.reference] }
    return files
  }

  private let handbook: Handbook
  /// Compressed once, not by each loop.
  private lazy var files = handbook.prepared.files { Self.files(handbook) }

  init(_ handbook: Handbook) {
    self.handbook = handbook
  }

  /// Returns whether this handler serves the request's path.
  func serves(_ request: Request) -> Bool {
    guard request.pathEquals("/openapi.json") || request.path.hasPrefix("/docs") else { return false }
    return files[request.path] != nil
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed([.get, .head], requestID: request.id, in: request.language))
    }
    guard let file = files[request.path] else { return }
    responder.send(
      file.response(
        to: request,
        headers: [
          ("Content-Security-Policy", Self.policy + (isReference(request.path) ? Self.scripts : "")),
          ("Referrer-Policy", "no-referrer"),
        ]))
  }

  /// Whether a path shows the API reference, which has a script.
  private func isReference(_ path: String) -> Bool {
    path == HandbookContents.reference || path == "/docs" && handbook.files[path] == nil
  }

  /// Forbids scripts, frames, forms, and everything from other sites.
  private static let policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  /// Permits our own script, but no markup made of text.
  private static let scripts = "; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
}
