import Foundation
import Reactor

/// `upmc` as an operator uses it: one command, its output as JSON. So the runner needs no knowledge of the server's
/// internals.
struct Program {
  /// The `upmc` program beside ours.
  static var path: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc").path
  }

  /// `NAME=value` each.
  let environment: [String]
  /// Holds the program's output temporarily.
  let directory: String

  /// - Throws: if the exit status is not 0, with the program's output.
  @discardableResult
  func run(_ arguments: String...) throws -> Reply {
    let (output, errors) = (directory + "/command.out", directory + "/command.err")
    defer {
      try? FileManager.default.removeItem(atPath: output)
      try? FileManager.default.removeItem(atPath: errors)
    }
    var command = try ChildProcess.start(
      [Self.path] + arguments + ["--json"], environment: environment, output: .file(output), errors: .file(errors))
    let ending = command.wait(atMost: .seconds(60))
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    guard ending == .exited(0) else {
      let words = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      throw Trouble("upmc \(arguments.joined(separator: " ")) ended with \(String(describing: ending)): \(words)")
    }
    return Reply(status: 200, text: text)
  }
}
