internal import ArgumentParser
internal import Glibc
internal import JSON
internal import Operations
internal import Reactor

/// Prints results to standard output and errors to standard error. Both contain external text (names, failure
/// reasons), so control characters are escaped.
enum Output {
  static func line(_ text: String) {
    print(VisibleText.of(text, keepingLines: true))
    // Flush, because the reader of a pipe would otherwise get output only in blocks of 4 KiB.
    _ = fflush(nil)
  }

  /// True if standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Prints text without a trailing line break. Control characters are escaped only on a terminal.
  static func piece(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    print(isTerminal ? VisibleText.of(text, keepingLines: true) : text, terminator: "")
    _ = fflush(nil)
  }

  /// Prints a JSON object on one line.
  static func line(_ answer: some JSONAnswer) {
    line(String(decoding: answer.json, as: UTF8.self))
  }

  /// Prints a JSON value on one line.
  static func line(_ answer: JSONTree) {
    line(answer.line)
  }

  static func complain(_ text: String) {
    StandardError.write(Array("\(VisibleText.of(text, keepingLines: true))\n".utf8))
  }
}

/// The option `--json`, which every command has.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  /// Prints the object as JSON if `--json` was given, otherwise the sentence.
  func show(_ answer: some JSONAnswer, _ sentence: @autoclosure () -> String) {
    if json { Output.line(answer) } else { Output.line(sentence()) }
  }

  /// Prints the response as JSON if `--json` was given, otherwise the sentence.
  func show(_ answer: JSONTree, _ sentence: @autoclosure () -> String) {
    if json { Output.line(answer) } else { Output.line(sentence()) }
  }
}
