import Testing

/// Imports follow the module graph.
enum ImportRule {
  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]

  static func imports(_ file: SwiftSource) -> [(line: Int, module: String)] {
    file.words.indices.filter { file.words[$0].text == "import" }.compactMap { index in
      // `import struct Module.Name` names what is imported before the module; a hyphen never occurs in a module's name.
      let following = file.words[(index + 1)...].prefix { $0.line == file.words[index].line }
      return following.first { !kinds.contains($0.text) }.map { (file.words[index].line, String($0.text)) }
    }
  }

  static func check(_ file: SwiftSource) -> [Violation] {
    guard ModuleGraph.allowed.keys.contains(file.module) else {
      return [Violation(file.path, "lies in \(file.module), which ModuleGraph does not know; add it there first")]
    }
    return imports(file).compactMap { line, imported in
      guard imported != "Foundation" || ModuleGraph.client.contains(file.module),
        let objection = ModuleGraph.objection(to: imported, in: file.module)
      else {
        return nil
      }
      return Violation(file.path, line: line, "imports \(imported), but \(file.module) \(objection)")
    }
  }

  /// Foundation costs start-up time, memory and a large library; its small sister is enough.
  static func checkFoundation(_ file: SwiftSource) -> [Violation] {
    if ModuleGraph.client.contains(file.module) { return checkClientFoundation(file) }
    return imports(file).filter { $0.module == "Foundation" }
      .map { Violation(file.path, line: $0.line, "imports Foundation; FoundationEssentials, where needed, is enough") }
  }

  /// Apple's systems have the large one alone. The simulator links `UPMCClient`, and no program of the server the others.
  private static func checkClientFoundation(_ file: SwiftSource) -> [Violation] {
    guard file.module == "UPMCClient" else { return [] }
    return imports(file).filter { $0.module == "Foundation" }.compactMap { line, _ in
      let before = line >= 2 ? file.lines[line - 2] : ""
      return before.contains("#else") || before.contains("#if canImport(Security)")
        ? nil
        : Violation(file.path, line: line, "imports Foundation where FoundationEssentials is; put it behind #else")
    }
  }
}

@Suite struct ImportTests {
  @Test func `imports point downwards only`() {
    expectNone(SourceTree.current.sources.flatMap(ImportRule.check))
  }

  @Test func `no source imports Foundation`() {
    expectNone(SourceTree.current.sources.flatMap(ImportRule.checkFoundation))
  }

  @Test(arguments: [
    ("API", "package import WebhookDelivery"), ("Reactor", "import HTTPServer"), ("Domain", "internal import Glibc"),
    ("Store", "@testable import struct Operations.Thing"), ("Domain", "import Store"), ("Reactor", "import NIOCore"),
    ("HTTPServer", "internal import ArgumentParser"), ("Cellar", "import Reactor"),
  ])
  func `an import sideways, upwards or from nowhere is found`(module: String, line: String) {
    let file = SwiftSource(path: "Sources/\(module)/Sample.swift", text: "/// A sample.\n\(line)\n")
    #expect(ImportRule.check(file).count == 1)
  }

  @Test(arguments: [
    ("API", "package import Operations"), ("Reactor", "internal import CLinux"), ("Domain", "import Crypto"),
    ("Reactor", "// import HTTPServer"), ("Store", "let text = \"\"\"\nimport Admin\n\"\"\""),
  ])
  func `an import downwards, or one that is no code, passes`(module: String, line: String) {
    let file = SwiftSource(path: "Sources/\(module)/Sample.swift", text: "/// A sample.\n\(line)\n")
    #expect(ImportRule.check(file) == [])
  }

  @Test func `Foundation is found, FoundationEssentials passes`() {
    let file = SwiftSource(
      path: "Sources/Store/A.swift", text: "import FoundationEssentials\ninternal import Foundation\n")
    #expect(ImportRule.checkFoundation(file).map(\.line) == [2])
  }

  @Test func `the module graph itself has no circle and names only its own modules`() {
    var standing: Set<String> = []
    var waiting = ModuleGraph.allowed
    // Put up, floor by floor, whatever stands on what is up already; a circle never stands.
    while let next = waiting.first(where: { $0.value.isSubset(of: standing) }) {
      standing.insert(next.key)
      waiting[next.key] = nil
    }
    #expect(waiting.isEmpty, "circle, or unknown module, among \(waiting.keys.sorted())")
  }
}
