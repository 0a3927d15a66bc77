internal import FoundationEssentials
internal import Postgres

/// Performs file operations of the private database.
enum Files {
  static func isDirectory(_ path: String) -> Bool { FileStatus(path)?.isDirectory == true }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Returns true if both paths refer to the same file; nil if `own` cannot be accessed.
  static func isSame(_ other: String, as own: String) -> Bool? {
    guard let own = FileStatus(own) else { return nil }
    return FileStatus(other)?.identity == own.identity
  }

  /// Returns the absolute path, with symbolic links resolved as far as the path exists.
  static func resolved(_ path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let resolved = URL(filePath: absolute).resolvingSymlinksInPath().path
    return resolved.count > 1 && resolved.hasSuffix("/") ? String(resolved.dropLast()) : resolved
  }

  static func owner(of path: String) -> UInt32? { FileStatus(path)?.owner }

  static func size(of path: String) -> Int { FileStatus(path)?.bytes ?? 0 }

  static func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  static func target(ofLink path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Returns the content of a file, even of one in /proc; nil if it does not exist or is not readable.
  static func bytes(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file with mode 0600, owned by `account`, or by this process's user if nil.
  static func write(_ text: String, to path: String, for account: SystemAccount?) throws(EmbeddedPostgresError) {
    try orCannotWrite(path) {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
      try FileStatus.change(path, mode: 0o600, owner: account)
    }
  }

  /// Creates a directory, and its parents with the same mode, unless it exists.
  static func makeDirectory(
    _ path: String, mode: UInt32, for account: SystemAccount? = nil
  ) throws(EmbeddedPostgresError) {
    guard !isDirectory(path) else { return }
    try orCannotWrite(path) {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: Int(mode)])
      // Set the mode again, because the call above applies the umask.
      try FileStatus.change(path, mode: mode, owner: account)
    }
  }

  static func rename(_ path: String, to other: String) throws(EmbeddedPostgresError) {
    try orCannotWrite(other) { try FileManager.default.moveItem(atPath: path, toPath: other) }
  }

  static func remove(_ path: String) throws(EmbeddedPostgresError) {
    guard exists(path) else { return }
    try orCannotWrite(path) { try FileManager.default.removeItem(atPath: path) }
  }

  /// Copies a file over another one.
  static func copy(_ path: String, to other: String) throws(EmbeddedPostgresError) {
    try remove(other)
    try orCannotWrite(other) { try FileManager.default.copyItem(atPath: path, toPath: other) }
  }

  /// Removes the content of a file, which stays the same file to those that have it open.
  static func empty(_ path: String) throws(EmbeddedPostgresError) {
    try orCannotWrite(path) { try Data().write(to: URL(filePath: path)) }
  }

  static func isWritable(_ path: String) -> Bool { FileManager.default.isWritableFile(atPath: path) }

  /// Renames `path` to the first unused name of `path.suffix-1`, `path.suffix-2` and so on, and returns the new path.
  static func setAside(_ path: String, _ suffix: String) throws(EmbeddedPostgresError) -> String {
    var number = 1
    while exists("\(path).\(suffix)-\(number)") { number += 1 }
    let aside = "\(path).\(suffix)-\(number)"
    try rename(path, to: aside)
    return aside
  }

  private static func orCannotWrite(_ path: String, _ body: () throws -> Void) throws(EmbeddedPostgresError) {
    do {
      try body()
    } catch let error as CocoaError {
      let reason = (error.underlying as? POSIXError).map { "\($0.code)" } ?? "\(error.code.rawValue)"
      throw .cannotWrite(path: path, reason: reason)
    } catch {
      throw .cannotWrite(path: path, reason: "\(error)")
    }
  }
}
