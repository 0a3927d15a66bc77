import FoundationEssentials

/// The repository as it lies on disk, read once for all rules.
struct SourceTree {
  /// Any text file of the repository.
  struct TextFile {
    /// Relative to the top of the repository.
    let path: String
    let text: String
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  }

  /// Every text file that belongs to the repository.
  let files: [TextFile]
  /// The Swift files among them under `Sources` and `Tests`.
  let swift: [SwiftSource]

  var sources: [SwiftSource] { swift.filter(\.isInSources) }

  /// The top of the repository.
  static let root = URL(filePath: #filePath).deleting(components: 3)
  static let current = SourceTree(root: root)

  /// Directories that are made by tools or by running the programs, and never committed.
  private static let foreign: Set<String> = [".git", ".upmc", "__pycache__", "node_modules"]

  init(root: URL) {
    var files: [TextFile] = []
    Self.visit(root, "", &files)
    self.files = files.sorted { $0.path < $1.path }
    swift = self.files.filter { $0.path.hasSuffix(".swift") && $0.path.contains("/") }
      .map { SwiftSource(path: $0.path, text: $0.text) }
  }

  private static func visit(_ directory: URL, _ prefix: String, _ files: inout [TextFile]) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where !foreign.contains(name) && !name.hasPrefix(".build") && name != "Package.resolved" {
      let url = directory.appending(path: name)
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      if attributes?[.type] as? FileAttributeType == .typeDirectory {
        visit(url, prefix + name + "/", &files)
      } else if let text = try? String(contentsOf: url, encoding: .utf8) {
        files.append(TextFile(path: prefix + name, text: text))
      }
    }
  }
}

extension URL {
  fileprivate func deleting(components count: Int) -> URL {
    (0..<count).reduce(self) { url, _ in url.deletingLastPathComponent() }
  }
}
