internal import Postgres
internal import Reactor

/// Reads files that contain a secret and whose path is given by a variable.
enum SecretFile {
  /// Returns the contents of the file as text; throws a `Mistake` if it cannot be read.
  /// - Parameters:
  ///   - name: the variable, for the error message.
  ///   - content: what the file should contain, for the error message.
  static func read(
    _ path: String, name: String, holding content: String
  ) throws(Configuration.Mistake) -> String {
    // A secret is often a symbolic link.
    if let bytes = RegularFile.resolve(path).flatMap({ RegularFile.open(path: $0)?.read() }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    throw Configuration.Mistake(description: "\(name): \(path) \(fault(path, content))")
  }

  /// Like `read`, but takes a pipe as well (`/dev/stdin`, `<(…)`), for a secret that is read only once.
  static func readOnce(
    _ path: String, name: String, holding content: String
  ) throws(Configuration.Mistake) -> String {
    // A pipe has no path of its own.
    if RegularFile.resolve(path) == nil, let bytes = PipeFile.read(path: path, atMost: 65_536) {
      return String(decoding: bytes, as: UTF8.self)
    }
    return try read(path, name: name, holding: content)
  }

  private static func fault(_ path: String, _ content: String) -> String {
    guard let status = FileStatus(path) else {
      return "is not there, or this user may not look for it. Name the file that holds \(content)."
    }
    if status.isDirectory { return "is no file but a directory. Name the file in it that holds \(content)." }
    return "may not be read by this user. Give it the right to (chown), or run as the file's owner."
  }
}
