import Foundation
import Reactor

/// LD_PRELOAD libraries, for effects that a process has no option to cause itself.
enum Preload {
  /// Compiles a library. Throws if there is no C compiler, which Swift's own packages need too.
  static func make(_ name: String, _ source: String, in directory: String, path: String) throws -> String {
    let (file, library, log) = ("\(directory)/\(name).c", "\(directory)/\(name).so", "\(directory)/\(name).log")
    try Data(source.utf8).write(to: URL(filePath: file))
    var compiler = try ChildProcess.start(
      ["cc", "-shared", "-fPIC", "-O1", "-o", library, file], environment: ["PATH=\(path)"], output: .file(log),
      errors: .file(log))
    guard compiler.wait(atMost: .seconds(120)) == .exited(0) else {
      let words = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw Trouble("the library \(name) was not compiled: \(words.suffix(400))")
    }
    return library
  }

  /// The value of LD_PRELOAD: the libraries already preloaded, then this one.
  static func variable(_ library: String, before present: String?) -> String {
    [present, library].compactMap { $0 }.joined(separator: ":")
  }
}
