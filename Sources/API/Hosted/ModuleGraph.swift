/// The static imports between JavaScript modules, read from their sources.
struct ModuleGraph {
  private let contents: [String: [UInt8]]

  /// Creates the graph of a directory's modules.
  /// - Parameter contents: content of each file, by its path below the directory.
  init(_ contents: [String: [UInt8]]) {
    self.contents = contents
  }

  /// Returns the paths of the modules that the given ones import, directly or indirectly, followed by `firstPage` and
  /// its imports, which the console's router would otherwise request later. Excludes the given modules and files that
  /// do not exist. The order is that in which a browser would find the modules.
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

  /// Returns the paths of the modules that a module imports or re-exports by a relative path after `from`, in the order
  /// of the source. Ignores imports without `from`, and `import(…)`, which browsers load only when needed. Empty if the
  /// module does not exist.
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
