/// A Swift file taken apart: code, comments and string literals, each with its line.
///
/// Not a parser: it knows just enough of the lexical rules (nested block comments, raw and multi-line strings,
/// interpolation) that a word in a comment or a literal is never mistaken for code.
struct SwiftSource {
  struct Literal: Equatable {
    let line: Int
    /// Where it begins in the file, in bytes; `code` has the same places.
    var offset = 0
    let text: String
  }

  struct Word {
    /// Counted from 1.
    let line: Int
    let text: Substring
    /// A parenthesis follows at once.
    let isCalled: Bool
    /// Another word follows after a space: `actor Store`, not `let actor: String`.
    let isBeforeWord: Bool
  }

  /// Relative to the top of the repository, for example `Sources/Reactor/Timers.swift`.
  let path: String
  /// Lines as written.
  let lines: [String]
  /// The same number of lines, with comments and the insides of string literals blanked.
  let code: [String]
  /// Contents of string literals, without interpolated code.
  let literals: [Literal]
  /// Identifiers, keywords and numbers of the code, in order.
  let words: [Word]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var scanner = Scanner(Array(text.utf8))
    scanner.code(untilParenthesis: false)
    code = String(decoding: scanner.kept, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    literals = scanner.literals
    words = code.enumerated().flatMap { index, line in
      line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map {
        let rest = line[$0.endIndex...]
        return Word(
          line: index + 1, text: $0, isCalled: rest.first == "(",
          isBeforeWord: rest.first == " " && rest.dropFirst().first?.isLetter == true)
      }
    }
  }

  /// `Reactor` for `Sources/Reactor/Timers.swift`, `ReactorTests` for a file under `Tests`.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var fileName: String { String(path.split(separator: "/").last ?? "") }

  var isInSources: Bool { path.hasPrefix("Sources/") }
}

private struct Scanner {
  let bytes: [UInt8]
  var position = 0
  var line = 1
  var kept: [UInt8] = []
  var literals: [SwiftSource.Literal] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    kept.reserveCapacity(bytes.count)
  }

  private func peek(_ ahead: Int = 0) -> UInt8 {
    position + ahead < bytes.count ? bytes[position + ahead] : 0
  }

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer {
      position + $0.count <= bytes.count && bytes[position..<position + $0.count].elementsEqual($0)
    }
  }

  /// Moves on by one byte, kept as code or blanked. Line breaks always stay.
  private mutating func advance(keeping: Bool) {
    let byte = bytes[position]
    if byte == UInt8(ascii: "\n") { line += 1 }
    kept.append(keeping || byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
    position += 1
  }

  /// Scans code to the end, or to the parenthesis that closes an interpolation.
  mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while position < bytes.count {
      let next = peek()
      // There are ten million bytes, and most of them begin neither.
      if next == UInt8(ascii: "/"), starts(with: "//") {
        while position < bytes.count, peek() != UInt8(ascii: "\n") { advance(keeping: false) }
      } else if next == UInt8(ascii: "/"), starts(with: "/*") {
        blockComment()
      } else if next == UInt8(ascii: "\"") || next == UInt8(ascii: "#") && opensRawString {
        string()
      } else if next == UInt8(ascii: "`") {
        quotedName()
      } else {
        if next == UInt8(ascii: "(") { depth += 1 }
        if next == UInt8(ascii: ")") {
          if untilParenthesis, depth == 0 { return }
          depth -= 1
        }
        advance(keeping: true)
      }
    }
  }

  private var opensRawString: Bool {
    var ahead = 0
    while peek(ahead) == UInt8(ascii: "#") { ahead += 1 }
    return peek(ahead) == UInt8(ascii: "\"")
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        advance(keeping: false)
      } else if starts(with: "*/") {
        depth -= 1
        advance(keeping: false)
      }
      if position < bytes.count { advance(keeping: false) }
    } while depth > 0 && position < bytes.count
  }

  /// A name in backticks, such as a test's sentence: one word would say too much, so it counts as none.
  private mutating func quotedName() {
    repeat {
      advance(keeping: false)
    } while position < bytes.count && peek() != UInt8(ascii: "`")
      && peek() != UInt8(ascii: "\n")
    if position < bytes.count { advance(keeping: false) }
  }

  private mutating func string() {
    var hashes = 0
    while peek() == UInt8(ascii: "#") {
      hashes += 1
      advance(keeping: true)
    }
    let quotes = starts(with: "\"\"\"") ? 3 : 1
    for _ in 0..<quotes { advance(keeping: true) }
    let (firstLine, offset) = (line, position)
    var text: [UInt8] = []
    while position < bytes.count, !closes(quotes: quotes, hashes: hashes) {
      if quotes == 1, peek() == UInt8(ascii: "\n") { break }
      if isEscape(hashes: hashes) {
        text.append(UInt8(ascii: " "))
        for _ in 0...hashes { advance(keeping: false) }
        let isInterpolation = peek() == UInt8(ascii: "(")
        if position < bytes.count { advance(keeping: isInterpolation) }
        if isInterpolation {
          code(untilParenthesis: true)
          if position < bytes.count { advance(keeping: true) }
        }
      } else {
        text.append(peek())
        advance(keeping: false)
      }
    }
    literals.append(SwiftSource.Literal(line: firstLine, offset: offset, text: String(decoding: text, as: UTF8.self)))
    for _ in 0..<min(quotes + hashes, bytes.count - position) { advance(keeping: true) }
  }

  private func isEscape(hashes: Int) -> Bool {
    peek() == UInt8(ascii: "\\") && (0..<hashes).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
  }

  private func closes(quotes: Int, hashes: Int) -> Bool {
    peek() == UInt8(ascii: "\"") && (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
      && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
  }
}
