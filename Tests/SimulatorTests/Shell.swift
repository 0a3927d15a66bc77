import FoundationEssentials
import Glibc

@testable import Simulator

/// Other people's programs, for tests against implementations that are not ours.
enum Shell {
  /// What a command prints.
  static func run(_ command: String) -> String {
    guard let pipe = popen(command, "r") else { return "" }
    defer { pclose(pipe) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { output += chunk.prefix(count) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Lends a file with this text, for as long as the body runs.
  static func withFile<Result>(_ text: String, _ body: (_ path: String) throws -> Result) throws -> Result {
    var template = Array("/tmp/upmc-simulator-XXXXXX".utf8CString)
    guard let name = mkdtemp(&template) else { throw Failure() }
    let directory = String(cString: name)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/file"
    guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else { throw Failure() }
    return try body(path)
  }

  struct Failure: Error {}
}
