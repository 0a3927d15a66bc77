import Testing

/// What must not be left behind in any file: unfinished business, and paths of somebody's machine.
enum TraceRule {
  /// Written in two halves, so that this file does not trip over itself.
  private static let unfinished: Set<String> = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
  private static let homes = ["work", "root", "home"]

  static func check(_ file: SourceTree.TextFile) -> [Violation] {
    guard mayHold(file.text) else { return [] }
    return file.lines.enumerated().flatMap { index, line in
      words(line).filter { unfinished.contains($0) }
        .map { Violation(file.path, line: index + 1, "says \($0); do it now, or open an issue") }
        + homes.filter { holdsPath("/" + $0 + "/", line) }
        .map { Violation(file.path, line: index + 1, "names a path of one machine, under /\($0)") }
    }
  }

  /// All texts that are searched for, as bytes, and the two bytes with which each begins.
  private static let marks = (unfinished + homes.map { "/\($0)/" }).map { Array($0.utf8) }
  private static let isBeginning: [Bool] = {
    var table = [Bool](repeating: false, count: 65_536)
    for mark in marks { table[Int(mark[0]) << 8 | Int(mark[1])] = true }
    return table
  }()

  /// False if a text contains none of them anywhere, as with most files: searching bytes is much faster than searching
  /// characters.
  private static func mayHold(_ text: String) -> Bool {
    let (bytes, table) = (Array(text.utf8), isBeginning)
    for place in bytes.indices.dropLast() where table[Int(bytes[place]) << 8 | Int(bytes[place + 1])] {
      if marks.contains(where: { bytes[place...].starts(with: $0) }) { return true }
    }
    return false
  }

  private static func words(_ line: Substring) -> [String] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// True where the text stands at the start of a path, not in the middle of a longer one.
  private static func holdsPath(_ start: String, _ line: Substring) -> Bool {
    line.ranges(of: start).contains { range in
      guard range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || "._-~}".contains(before))
    }
  }
}

@Suite struct TraceTests {
  @Test func `nothing unfinished and no machine's path is in the tree`() {
    expectNone(SourceTree.current.files.flatMap(TraceRule.check))
  }

  @Test(arguments: [
    "// TO" + "DO: later", "-- FIX" + "ME", "# XX" + "X", "cp /ro" + "ot/a b", "path=\"/wo" + "rk/x\"",
    "/ho" + "me/me/a",
  ])
  func `leftovers are found`(line: String) {
    #expect(TraceRule.check(SourceTree.TextFile(path: "README.md", text: "fine\n\(line)\n")).map(\.line) == [2])
  }

  @Test(arguments: [
    "mkdtemp(\"upmc-XX" + "XXXX\")", "https://example.com/ho" + "me/", "a todo list", "$HOME/.upmc",
    "the /root directory",
  ])
  func `lookalikes pass`(line: String) {
    #expect(TraceRule.check(SourceTree.TextFile(path: "README.md", text: line)) == [])
  }
}
