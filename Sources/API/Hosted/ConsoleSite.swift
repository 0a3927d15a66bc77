internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor
internal import Synchronization

/// The console's files as browsers load them. The URLs of all files below `assets/` contain a version, which is a hash
/// of their names and contents, such as `/assets/0123456789ab/main.js`; so browsers can keep files for a year without
/// asking again. The page has preload hints for files that a browser would otherwise discover one after another.
/// Decision 165.
struct ConsoleSite: Sendable {
  /// Number of hexadecimal digits in the directory's name.
  private static let versionLength = 12
  private static let kept = "public, max-age=31536000, immutable"

  private let version: String
  /// Files by path below the version's directory, such as `pages/apps.js`.
  private let files: [String: PreparedFile]
  /// The page for each language; the pages differ in the translations that they preload.
  private let pages: [Phrase.Language: PreparedFile]

  // MARK: Reading

  private struct Shared {
    var stamps: [String: RegularFile.Stamp] = [:]
    var site: ConsoleSite?
  }

  /// Sites by directory, shared by all loops of the process.
  private static let shared = Mutex<[String: Shared]>([:])

  /// Returns the site for the current files of a directory. All files are read and compressed at the first call, and
  /// again if one has changed; other threads wait meanwhile.
  /// - Parameter charts: directory of the chart library, whose modules are added below `vendor/chart.js/`.
  /// - Returns: nil if the directory has no `index.html`.
  static func current(in directory: String, charts: String) -> ConsoleSite? {
    let found = ConsoleSources.find(in: directory, charts: charts)
    return shared.withLock { shared in
      if let known = shared[directory], known.stamps == found.stamps { return known.site }
      let site = ConsoleSite(found)
      shared[directory] = Shared(stamps: found.stamps, site: site)
      return site
    }
  }

  private init?(_ sources: ConsoleSources) {
    guard let index = sources.index else { return nil }
    let page = ConsolePage(index)
    var contents = sources.contents
    contents[ConsolePage.style] = page.styles.reduce(into: []) { $0 += (contents[$1] ?? []) + [UInt8(ascii: "\n")] }
    // Hash names and contents, so that a renamed file changes the version too.
    let names = contents.keys.sorted()
    let everything = names.map { "\($0) \(PreparedFile.digest(contents[$0] ?? []))" }.joined(separator: "\n")
    version = String(PreparedFile.digest(Array(everything.utf8)).prefix(Self.versionLength))
    files = Dictionary(
      uniqueKeysWithValues: contents.map { ($0, PreparedFile(ContentType.of(path: $0), $1)) })
    let modules = ModuleGraph(contents).needed(by: page.modules)
    let version = version
    pages = Dictionary(
      uniqueKeysWithValues: Phrase.Language.allCases.map { language in
        let words = contents.keys.filter { $0.hasPrefix("words/\(language.rawValue)") }.sorted()
        return (language, PreparedFile("text/html; charset=utf-8", page.html(in: version, modules, words)))
      })
  }

  // MARK: Answering

  /// Returns the response to a request for the page (`/`, `/index.html`) or for a file below the directory of any
  /// version, always with the current content; 405 if the method is neither GET nor HEAD. Nil for other paths, and if
  /// the site has no such file.
  func response(for request: Request) -> Response? {
    let path = request.path
    if path == "/" || path == "/index.html" {
      guard let page = pages[Self.language(of: request)] else { return nil }
      return answer(page, to: request, cacheControl: "no-cache", vary: "Accept-Language, Cookie")
    }
    guard let (named, name) = Self.parts(path), let file = files[name] else { return nil }
    // If the versions differ, the request is from a tab opened before an upgrade, or from a page of a node with another
    // version. Send the current file, but do not let the browser keep it.
    return answer(file, to: request, cacheControl: named == version ? Self.kept : "no-store")
  }

  private func answer(
    _ file: PreparedFile, to request: Request, cacheControl: String, vary: String? = nil
  ) -> Response {
    guard request.method == .get || request.method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    return file.response(to: request, cacheControl: cacheControl, vary: vary, headers: ConsoleFiles.headers)
  }

  /// Returns the language chosen in the console, which its script stores in a cookie; without a valid cookie, the
  /// language according to Accept-Language.
  private static func language(of request: Request) -> Phrase.Language {
    let chosen = Cookies.value(of: "upmc-language", in: request.headers).flatMap(Phrase.Language.init(rawValue:))
    return chosen ?? Phrase.Language(accepting: request.header("accept-language"))
  }

  /// Splits `/assets/VERSION/…` into the version and the rest. Returns nil for other paths, including those whose
  /// second component cannot be a version.
  private static func parts(_ path: String) -> (version: Substring, name: String)? {
    guard path.hasPrefix("/assets/") else { return nil }
    let rest = path.dropFirst("/assets/".count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    let version = rest[..<slash]
    guard version.utf8.count == versionLength, version.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
      return nil
    }
    return (version, String(rest[rest.index(after: slash)...]))
  }
}
