internal import FoundationEssentials

/// A directory for one measurement's files, removed afterwards.
final class ScratchDirectory {
  let path: String

  init() throws {
    let name = "upmc-benchmark-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    path = FileManager.default.temporaryDirectory.appending(path: name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in it.
  func file(_ name: String) -> String {
    path + "/" + name
  }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    let path = file(name)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }
}

/// Small text files.
enum TextFile {
  static func text(of path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  static func lastLine(of path: String) -> String {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").last.map(String.init) ?? "no word why"
  }
}
