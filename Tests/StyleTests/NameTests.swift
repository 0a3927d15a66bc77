import Testing

/// Names say what a thing is. A name that fits everything says nothing.
enum NameRule {
  private static let empty: Set<String> = ["Util", "Utils", "Helper", "Helpers", "Manager", "Managers", "Common"]
  /// Names of the existing SDK: apps call them.
  private static let documented: Set<Substring> = [
    "PushManager", "PushManagerDelegate", "PushManagerBadgeOption", "PushManagerNetworkCompletionHandler",
  ]
  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

  static func check(_ file: SwiftSource) -> [Violation] {
    var found: [Violation] = []
    let concept = file.fileName.prefix { $0 != "." && $0 != "+" }
    if !documented.contains(concept[...]), let word = emptyWord(in: concept) {
      found.append(Violation(file.path, "\"\(word)\" in a file's name says nothing; name the concept"))
    }
    for (kind, name) in zip(file.words, file.words.dropFirst()) where kinds.contains(kind.text) {
      guard !documented.contains(name.text), let word = emptyWord(in: name.text) else { continue }
      found.append(
        Violation(file.path, line: name.line, "\"\(word)\" in `\(name.text)` says nothing; name the concept"))
    }
    return found
  }

  /// Two files with the same name in a module are indistinguishable in every list.
  static func checkDuplicates(_ files: [SwiftSource]) -> [Violation] {
    Dictionary(grouping: files) { "\($0.module)/\($0.fileName)" }.values.filter { $0.count > 1 }
      .map { same in
        Violation(same[0].path, "has the name of \(same.dropFirst().map(\.path).joined(separator: ", ")); rename one")
      }
  }

  /// A module's own type shadows one of an imported module, so the reader must know which is meant.
  static func checkHidden(_ files: [SwiftSource]) -> [Violation] {
    let shown = Dictionary(grouping: files.flatMap { types(of: $0, areShown: true) }, by: \.name)
    let uses = Dictionary(grouping: files, by: \.module).mapValues { files in
      Set(files.flatMap { ImportRule.imports($0).map(\.module) })
    }
    return files.flatMap { file in
      types(of: file, areShown: false).compactMap { type in
        let hidden = shown[type.name]?.first { uses[file.module]?.contains($0.module) == true }
        return hidden.map {
          Violation(
            file.path, line: type.line, "`\(type.name)` hides that of \($0.module), which it imports; rename one")
        }
      }
    }
  }

  private typealias TopLevelType = (name: Substring, module: String, line: Int)

  /// - Parameter areShown: only those that other modules see.
  private static func types(of file: SwiftSource, areShown: Bool) -> [TopLevelType] {
    topLevelTypes(of: file).filter { !areShown || $0.isShown }.map { ($0.name, file.module, $0.line) }
  }

  /// Types declared at the top level of a file and not private to it.
  static func topLevelTypes(of file: SwiftSource) -> [(name: Substring, line: Int, isShown: Bool)] {
    file.code.enumerated().compactMap { index, line in
      guard line.first?.isWhitespace == false else { return nil }
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
      guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { return nil }
      let before = words[..<kind]
      guard !before.contains("private"), !before.contains("fileprivate"), !before.contains("extension") else {
        return nil
      }
      return (words[kind + 1], index + 1, before.contains("package") || before.contains("public"))
    }
  }

  /// `KeyManagers` → `Key`, `Managers`.
  private static func emptyWord(in name: Substring) -> String? {
    var words: [String] = [""]
    for character in name {
      if character.isUppercase { words.append("") }
      words[words.count - 1].append(character)
    }
    return words.first { empty.contains($0) }
  }
}

@Suite struct NameTests {
  @Test func `names of files and types say something`() {
    expectNone(SourceTree.current.sources.flatMap(NameRule.check))
  }

  @Test func `no two files of a module have the same name`() {
    expectNone(NameRule.checkDuplicates(SourceTree.current.sources))
  }

  @Test func `no type hides one of a module that its own imports`() {
    expectNone(NameRule.checkHidden(SourceTree.current.sources))
  }

  @Test func `a type that hides another is found, and one that nobody sees is not`() {
    let below = SwiftSource(path: "Sources/Reactor/A.swift", text: "package struct Readiness {}\nprivate enum Own {}\n")
    let above = SwiftSource(
      path: "Sources/Server/B.swift", text: "internal import Reactor\nstruct Readiness {}\nenum Own {}\n")
    let aside = SwiftSource(path: "Sources/JSON/C.swift", text: "struct Readiness {}\n")
    #expect(NameRule.checkHidden([below, above, aside]).map(\.line) == [2])
  }

  @Test(arguments: [
    ("StringUtils.swift", "let a = 1"), ("Keys.swift", "package final class KeyManager {}"), ("Common.swift", ""),
    ("Keys.swift", "enum Helpers {}"),
  ])
  func `an empty name is found`(name: String, text: String) {
    #expect(NameRule.check(SwiftSource(path: "Sources/Store/\(name)", text: text)).count == 1)
  }

  @Test func `a name that only contains the letters passes`() {
    let text = "struct Commonwealth {}\n// a helper\nlet manager = \"KeyManager\"\n"
    #expect(NameRule.check(SwiftSource(path: "Sources/Store/Utilities.swift", text: text)) == [])
  }

  @Test func `the same file name twice in a module is found, in two modules not`() {
    let paths = ["Sources/Store/A/Keys.swift", "Sources/Store/B/Keys.swift", "Sources/Domain/Keys.swift"]
    #expect(NameRule.checkDuplicates(paths.map { SwiftSource(path: $0, text: "") }).count == 1)
  }
}
