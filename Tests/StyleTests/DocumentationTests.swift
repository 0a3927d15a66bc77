import Testing

/// Every file states its purpose in its first lines; a module's main file opens with an essay.
enum DocumentationRule {
  /// An essay has at least this many lines: purpose, states, invariants, what happens on failure.
  static let essayLines = 5

  /// The file begins with a doc comment, or its first declaration carries one.
  static func check(_ file: SwiftSource) -> [Violation] {
    guard let first = firstDeclaration(file) else { return [] }
    if file.lines.first?.hasPrefix("///") == true { return [] }
    var line = first - 1
    // Attributes may come between the comment and its declaration.
    while line > 0, file.code[line - 1].trimmed.hasPrefix("@") { line -= 1 }
    if line > 0, file.lines[line - 1].trimmed.hasPrefix("///") { return [] }
    return [Violation(file.path, line: first, "begins without a doc comment that says what it is for")]
  }

  /// A library's main file bears the module's name and opens with its essay. Programs have `main.swift` or the like.
  static func checkMainFile(module: String, _ files: [SwiftSource]) -> [Violation] {
    guard files.contains(where: { firstDeclaration($0) != nil }) else { return [] }
    let path = "Sources/\(module)/\(module).swift"
    guard let main = files.first(where: { $0.path == path }) else {
      return [Violation("Sources/\(module)", "has no \(module).swift, where the module's essay stands")]
    }
    guard let opening = main.lines.firstIndex(where: { $0.hasPrefix("///") }) else {
      return [Violation(path, "opens without the module's essay")]
    }
    let length = main.lines[opening...].prefix { $0.hasPrefix("///") }.count
    guard length < essayLines else { return [] }
    return [
      Violation(path, line: opening + 1, "opens with \(length) lines; the module's essay needs \(essayLines) or more")
    ]
  }

  /// The first line of code that is neither an import nor an attribute alone; nil in a file without declarations.
  private static func firstDeclaration(_ file: SwiftSource) -> Int? {
    let imports = Set(ImportRule.imports(file).map(\.line))
    return file.code.indices.map { $0 + 1 }.first { number in
      let line = file.code[number - 1].trimmed
      return !line.isEmpty && !imports.contains(number) && !line.hasPrefix("#") && !isAttributeAlone(line)
    }
  }

  private static func isAttributeAlone(_ line: Substring) -> Bool {
    line.hasPrefix("@") && !line.contains(" ")
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
    while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
    return rest
  }
}

@Suite struct DocumentationTests {
  private static let programs: Set<String> = ["upmc", "upmc-simulator"]

  @Test func `every source file says what it is for`() {
    expectNone(SourceTree.current.sources.flatMap(DocumentationRule.check))
  }

  @Test func `every module opens with its essay`() {
    let modules = Dictionary(grouping: SourceTree.current.sources, by: \.module)
    expectNone(
      modules.keys.sorted().filter { !Self.programs.contains($0) }.flatMap {
        DocumentationRule.checkMainFile(module: $0, modules[$0] ?? [])
      })
  }

  @Test(arguments: [
    "import Reactor\n\nstruct A {}\n", "// just a remark\nenum A {}\n",
    "@safe\nfinal class A {}\n/// Too late.\nstruct B {}\n",
  ])
  func `a file without a word on its purpose is found`(text: String) {
    #expect(DocumentationRule.check(SwiftSource(path: "Sources/Store/A.swift", text: text)).count == 1)
  }

  @Test(arguments: [
    "/// Purpose.\nimport Reactor\nstruct A {}\n", "import Reactor\n\n/// Purpose.\nstruct A {}\n",
    "/// Purpose.\n@safe\npackage final class A {}\n", "// nothing here yet\n",
    "internal import Glibc\n\n/// Purpose.\n@safe package struct A {}\n",
  ])
  func `a file that says its purpose passes`(text: String) {
    #expect(DocumentationRule.check(SwiftSource(path: "Sources/Store/A.swift", text: text)) == [])
  }

  @Test func `a module without a main file, or with a short essay, is found`() {
    let other = SwiftSource(path: "Sources/Store/Keys.swift", text: "/// Keys.\nstruct Keys {}\n")
    let short = SwiftSource(path: "Sources/Store/Store.swift", text: "/// The store.\npackage enum Store {}\n")
    let essay = String(repeating: "/// A line.\n", count: 5)
    let long = SwiftSource(path: "Sources/Store/Store.swift", text: essay + "package enum Store {}\n")
    #expect(DocumentationRule.checkMainFile(module: "Store", [other]).count == 1)
    #expect(DocumentationRule.checkMainFile(module: "Store", [other, short]).count == 1)
    #expect(DocumentationRule.checkMainFile(module: "Store", [other, long]) == [])
  }
}
