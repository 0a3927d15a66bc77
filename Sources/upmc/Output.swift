internal import ArgumentParser
internal import Glibc
internal import JSON
internal import Operations
internal import Reactor

/// What commands print: results on standard output, complaints on standard error. Both quote what others wrote (names,
/// reasons of peers), so nothing that a terminal would act on leaves here.
enum Output {
  static func line(_ text: String) {
    print(VisibleText.of(text, keepingLines: true))
    // A pipe would otherwise get it only when 4 KiB have gathered, and whoever follows would see nothing.
    _ = fflush(nil)
  }

  /// What is printed is read by a person.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Text as it is, without a line break; only on a terminal it is made harmless.
  static func piece(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    print(isTerminal ? VisibleText.of(text, keepingLines: true) : text, terminator: "")
    _ = fflush(nil)
  }

  /// One JSON object in one line.
  static func line(_ answer: some JSONAnswer) {
    line(String(decoding: answer.json, as: UTF8.self))
  }

  static func complain(_ text: String) {
    StandardError.write(Array("\(VisibleText.of(text, keepingLines: true))\n".utf8))
  }
}

/// `--json`, which every command takes.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  /// Prints the object, or the sentence for people.
  func show(_ answer: some JSONAnswer, _ sentence: @autoclosure () -> String) {
    if json { Output.line(answer) } else { Output.line(sentence()) }
  }
}
