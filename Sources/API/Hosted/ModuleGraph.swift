/// Imports between JavaScript modules, read from their sources.
struct ModuleGraph {
  private let contents: [String: [UInt8]]

  /// Creates the graph of a directory's modules.
  /// - Parameter contents: content of each file, by its path below the directory.
  init(_ contents: [String: [UInt8]]) {
    self.contents = contents
  }

  /// Returns the paths of the modules that the given ones import, directly or indirectly, and of the module of the
  /// first page, which the router would otherwise request later. Excludes the given ones; in the order in which a
  /// browser would find them.
  func needed(by modules: [String]) -> [String] {
    var found = modules
    var isFirstPageAdded = false
    var next = 0
    while true {
      if next == found.count {
        guard !isFirstPageAdded, contents[Self.firstPage] != nil else { break }
        isFirstPageAdded = true
        if !found.contains(Self.firstPage) { found.append(Self.firstPage) }
        continue
      }
      for path in imports(of: found[next]) where contents[path] != nil && !found.contains(path) { found.append(path) }
      next += 1
    }
    return Array(found.dropFirst(modules.count))
  }

  private static let firstPage = "pages/dashboard.js"

  /// Returns the paths of a module's static imports; `import(…)` is loaded when it is needed.
  private func imports(of path: String) -> [String] {
    let text = String(decoding: contents[path] ?? [], as: UTF8.self)
    let directory = path.split(separator: "/").dropLast()
    return text.matches(of: #/(?:^|\n)(?:(?:im|ex)port\b|\}).*?\bfrom "(\.\.?/[^"]+)"/#).map { match in
      var parts = directory
      for part in match.1.split(separator: "/") {
        if part == ".." { parts = parts.dropLast() } else if part != "." { parts.append(part) }
      }
      return parts.joined(separator: "/")
    }
  }
}
