import Testing

/// `Package.swift` says the same as the module graph and as the imports.
struct PackageManifest {
  struct Target: Equatable {
    let name: String
    let line: Int
    /// Modules of the house only; packages from outside are named by variables, not strings.
    let dependencies: Set<String>
  }

  let targets: [Target]

  /// Reads the calls `module("Name", on: [...])` and `program("Name", on: [...])`.
  init(text: String) {
    targets = text.matches(of: #/\b(?:module|program)\(\s*"([\w-]+)"(?:,\s*on:\s*\[([^\]]*)\])?\)/#).map { match in
      let names = (match.2 ?? "").matches(of: #/"([\w-]+)"/#).map { String($0.1) }
      let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return Target(name: String(match.1), line: line, dependencies: Set(names))
    }
  }

  func checkGraph() -> [Violation] {
    targets.flatMap { target in
      target.dependencies.sorted().compactMap { dependency in
        ModuleGraph.objection(to: dependency, in: target.name).map {
          Violation("Package.swift", line: target.line, "\(target.name) depends on \(dependency), but \($0)")
        }
      }
    }
  }

  /// An import without the dependency builds only by luck; a dependency without an import is an edge that nobody uses.
  func checkImports(_ sources: [SwiftSource]) -> [Violation] {
    targets.flatMap { target -> [Violation] in
      let imported = Set(
        sources.filter { $0.module == target.name }.flatMap { ImportRule.imports($0).map(\.module) })
      guard !imported.isEmpty else { return [] }
      let ofTheHouse = imported.intersection(ModuleGraph.allowed.keys)
      return ofTheHouse.subtracting(target.dependencies).sorted().map {
        Violation("Package.swift", line: target.line, "\(target.name) imports \($0) without depending on it")
      }
        + target.dependencies.subtracting(imported).sorted().map {
          Violation("Package.swift", line: target.line, "\(target.name) depends on \($0) without importing it")
        }
    }
  }
}

@Suite struct PackageTests {
  private var manifest: PackageManifest {
    get throws {
      let file = try #require(SourceTree.current.files.first { $0.path == "Package.swift" })
      return PackageManifest(text: file.text)
    }
  }

  @Test func `the manifest follows the module graph`() throws {
    expectNone(try manifest.checkGraph())
  }

  @Test func `the manifest names exactly what is imported`() throws {
    expectNone(try manifest.checkImports(SourceTree.current.sources))
  }

  @Test func `every directory of Sources is a target of the manifest`() throws {
    let names = Set(try manifest.targets.map(\.name)).union(["CLinux", "CLibPQ", "CNGHTTP2", "COpenSSL", "CCMark"])
    let directories = Set(SourceTree.current.sources.map(\.module))
    #expect(directories.subtracting(names).isEmpty)
  }

  @Test func `a dependency against the graph is found`() {
    let sample = PackageManifest(
      text: "module(\"Reactor\", on: [\"HTTPServer\", heap]),\nprogram(\"upmc\", on: [\"Server\"]),")
    #expect(sample.checkGraph().map(\.line) == [1])
  }

  @Test func `a missing and a useless dependency are found`() {
    let sample = PackageManifest(text: "module(\"HTTP2\", on: [\"Reactor\", \"TLS\"]),")
    let file = SwiftSource(path: "Sources/HTTP2/A.swift", text: "import Reactor\nimport CNGHTTP2\n")
    #expect(
      sample.checkImports([file]).map(\.message) == [
        "HTTP2 imports CNGHTTP2 without depending on it", "HTTP2 depends on TLS without importing it",
      ])
  }
}
