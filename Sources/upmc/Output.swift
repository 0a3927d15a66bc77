internal import ArgumentParser
internal import Glibc
internal import Operations
internal import Reactor

/// What commands print: results on standard output, complaints on standard error.
enum Output {
  static func line(_ text: String) {
    print(text)
    // A pipe would otherwise get it only when 4 KiB have gathered, and whoever follows would see nothing.
    _ = fflush(nil)
  }

  /// Text as it is, without a line break.
  static func piece(_ bytes: [UInt8]) {
    print(String(decoding: bytes, as: UTF8.self), terminator: "")
    _ = fflush(nil)
  }

  /// One JSON object in one line.
  static func line(_ answer: some JSONAnswer) {
    line(String(decoding: answer.json, as: UTF8.self))
  }

  static func complain(_ text: String) {
    StandardError.write(Array("\(text)\n".utf8))
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
