import FoundationEssentials
import Testing

/// Every external package is pinned to an exact version, including transitive ones, so the same sources always build
/// the same programs.
enum VersionRule {
  /// Every `.package(…)` of a manifest names one version.
  static func check(_ manifest: SourceTree.TextFile) -> [Violation] {
    manifest.text.matches(of: #/\.package\(([^)]*)\)/#).compactMap { match in
      guard !match.1.contains(/exact: "\d+\.\d+\.\d+"/) else { return nil }
      let line = manifest.text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return Violation(manifest.path, line: line, "floats: \(match.1); name its version with `exact:`")
    }
  }

  /// What was resolved, in the file that the build leaves behind, is what the manifest names: nothing else was brought.
  static func check(_ manifest: SourceTree.TextFile, resolved: String) -> [Violation] {
    let named = Dictionary(
      manifest.text.matches(of: #/\/([\w-]+)\.git", exact: "([\d.]+)"/#).map { ($0.1, $0.2) }, uniquingKeysWith: { $1 })
    return resolved.split(separator: "\"identity\"").dropFirst().compactMap { pin in
      guard let name = pin.firstMatch(of: #/"([^"]+)"/#)?.1 else { return nil }
      let version = pin.firstMatch(of: #/"version" : "([^"]+)"/#)?.1 ?? "no version"
      guard named[name] != version else { return nil }
      return Violation(manifest.path, "does not name \(name), of which \(version) was resolved; add it with `exact:`")
    }
  }
}

@Suite struct VersionTests {
  private var manifests: [SourceTree.TextFile] {
    SourceTree.current.files.filter { $0.path == "Package.swift" || $0.path.hasSuffix("/Package.swift") }
  }

  @Test func `no package from outside floats`() {
    #expect(manifests.contains { $0.path == "Tests/Peers/Package.swift" })
    expectNone(manifests.flatMap { VersionRule.check($0) })
  }

  @Test func `what was resolved is what the manifest names`() throws {
    let manifest = try #require(manifests.first { $0.path == "Package.swift" })
    let resolved = try String(contentsOf: SourceTree.root.appending(path: "Package.resolved"), encoding: .utf8)
    #expect(resolved.contains("swift-log"))
    expectNone(VersionRule.check(manifest, resolved: resolved))
  }

  @Test(arguments: [
    "from: \"1.2.3\"", "branch: \"main\"", "\"1.0.0\"..<\"2.0.0\"", ".upToNextMinor(from: \"1.2.3\"", "exact: \"1\"",
  ])
  func `a package that floats is found`(version: String) {
    let sample = SourceTree.TextFile(
      path: "Package.swift",
      text: """
        dependencies: [
          .package(url: "https://example.com/a.git", exact: "1.2.3"),
          .package(
            url: "https://example.com/b.git", \(version)),
        ]
        """)
    #expect(VersionRule.check(sample).map(\.line) == [3])
  }

  @Test func `what another package brought in another version, or without being named, is found`() {
    let sample = SourceTree.TextFile(
      path: "Package.swift",
      text: """
        .package(url: "https://example.com/a.git", exact: "1.2.3"),
        .package(url: "https://example.com/b.git", exact: "1.2.3"),
        """)
    let resolved = """
      { "pins" : [
        { "identity" : "a", "state" : { "revision" : "0", "version" : "1.2.3" } },
        { "identity" : "b", "state" : { "revision" : "0", "version" : "1.2.4" } },
        { "identity" : "c", "state" : { "revision" : "0", "version" : "1.2.3" } },
        { "identity" : "d", "state" : { "branch" : "main", "revision" : "0" } } ] }
      """
    #expect(
      VersionRule.check(sample, resolved: resolved).map { $0.message.prefix { $0 != "," } } == [
        "does not name b", "does not name c", "does not name d",
      ])
  }
}
