internal import FoundationEssentials
internal import Postgres

/// The few things the private database does with files.
enum EmbeddedPostgresFiles {
  static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Whether two paths lead to the same directory, however they are spelled.
  static func areSame(_ left: String, _ right: String) -> Bool {
    guard let one = identity(left), let other = identity(right) else { return false }
    return one == other
  }

  private static func identity(_ path: String) -> [UInt64]? {
    // Attributes are those of a symbolic link itself: look behind it.
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved(path)),
      let device = attributes[.systemNumber] as? any BinaryInteger,
      let file = attributes[.systemFileNumber] as? any BinaryInteger
    else { return nil }
    return [UInt64(truncatingIfNeeded: device), UInt64(truncatingIfNeeded: file)]
  }

  /// Absolute, and without symbolic links as far as the path exists.
  static func resolved(_ path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let resolved = URL(filePath: absolute).resolvingSymlinksInPath().path
    return resolved.count > 1 && resolved.hasSuffix("/") ? String(resolved.dropLast()) : resolved
  }

  static func owner(of path: String) -> UInt32? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.ownerAccountID] as? any BinaryInteger).map { UInt32(truncatingIfNeeded: $0) }
  }

  static func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? any BinaryInteger).map { Int($0) } ?? 0
  }

  static func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  static func target(ofLink path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// The bytes of a file, also of one in /proc; nil when it is not there or not for us.
  static func bytes(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file with mode 0600 for `account` (ours when nil).
  static func write(_ text: String, to path: String, for account: SystemAccount?) throws(EmbeddedPostgresError) {
    try orCannotWrite(path) {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
      try FileManager.default.setAttributes(attributes(mode: 0o600, account), ofItemAtPath: path)
    }
  }

  /// Makes a directory (and those above it, with the same mode) unless it is there.
  static func makeDirectory(
    _ path: String, mode: Int, for account: SystemAccount? = nil
  ) throws(EmbeddedPostgresError) {
    guard !isDirectory(path) else { return }
    try orCannotWrite(path) {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
      // Again, for the mode given to the call above is subject to the umask.
      try FileManager.default.setAttributes(attributes(mode: mode, account), ofItemAtPath: path)
    }
  }

  static func rename(_ path: String, to other: String) throws(EmbeddedPostgresError) {
    try orCannotWrite(other) { try FileManager.default.moveItem(atPath: path, toPath: other) }
  }

  static func remove(_ path: String) throws(EmbeddedPostgresError) {
    guard exists(path) else { return }
    try orCannotWrite(path) { try FileManager.default.removeItem(atPath: path) }
  }

  /// Renames what is in the way to the first free `path.suffix-1`, `-2` …, and says which.
  static func setAside(_ path: String, _ suffix: String) throws(EmbeddedPostgresError) -> String {
    var number = 1
    while exists("\(path).\(suffix)-\(number)") { number += 1 }
    let aside = "\(path).\(suffix)-\(number)"
    try rename(path, to: aside)
    return aside
  }

  private static func attributes(mode: Int, _ account: SystemAccount?) -> [FileAttributeKey: any Sendable] {
    guard let account else { return [.posixPermissions: mode] }
    return [
      .posixPermissions: mode, .ownerAccountID: UInt(account.uid), .groupOwnerAccountID: UInt(account.gid),
    ]
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
