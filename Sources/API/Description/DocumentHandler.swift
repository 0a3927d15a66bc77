internal import Crypto
internal import Domain
internal import HTTPServer
internal import JSON

/// Serves the description: `/openapi.json` for programs, `/docs` for people, and the handbook's pages below it. Made once per process; clients that have it
/// are told 304. Open to all: it holds nothing of this installation.
struct DocumentHandler: Sendable {
  private struct File: Sendable {
    let type: String
    let body: [UInt8]
    let tag: String

    init(_ type: String, _ body: [UInt8]) {
      self.type = type
      self.body = body
      // Its content decides: all nodes of one version give the same tag.
      tag = "\"" + SHA256.hash(body).prefix(12).map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }
  }

  private static let files: [String: File] = {
    let document = Document.make()
    var files = [
      "/openapi.json": File("application/json", document.bytes),
      "/docs": File("text/html; charset=utf-8", Array(Page.make(document).utf8)),
      "/docs/page.css": File("text/css; charset=utf-8", Array(PageStyle.css.utf8)),
    ]
    for page in Handbook.all {
      for language in Handbook.Language.allCases {
        files[page.path(language)] = File("text/html; charset=utf-8", Array(page.html(language).utf8))
      }
    }
    return files
  }()

  init() {}

  /// True for paths that are answered here.
  func serves(_ request: Request) -> Bool {
    guard request.pathEquals("/openapi.json") || request.path.hasPrefix("/docs") else { return false }
    return Self.files[request.path] != nil
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed([.get, .head], requestID: request.id))
    }
    guard let file = Self.files[request.path] else { return }
    let headers = [
      ("ETag", file.tag), ("Cache-Control", "no-cache"),
      ("Content-Security-Policy", Self.policy), ("Referrer-Policy", "no-referrer"),
    ]
    if let known = request.header("if-none-match"), known.contains(file.tag) || known == "*" {
      return responder.send(Response(status: .notModified, headers: headers))
    }
    responder.send(Response(status: .ok, headers: [("Content-Type", file.type)] + headers, body: file.body))
  }

  /// No script, no frame, no form, and nothing from elsewhere.
  private static let policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
