internal import FoundationEssentials

/// Directory for uploads until they are stored.
extension Configuration {
  /// The data directory if it exists, otherwise the system's temporary directory.
  package var spoolDirectory: String {
    if FileManager.default.fileExists(atPath: dataDirectory) { return dataDirectory }
    return ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
  }
}

/// Permissions of this user in a directory.
package enum DirectoryRights {
  /// Checks without creating anything.
  package static func mayMakeFiles(in directory: String) -> Bool {
    FileManager.default.isWritableFile(atPath: directory) && FileManager.default.isExecutableFile(atPath: directory)
  }
}
