internal import FoundationEssentials

/// The directory in which uploads are kept until they are stored.
extension Configuration {
  /// The data directory if it exists, otherwise the system's temporary directory.
  package var spoolDirectory: String {
    if FileManager.default.fileExists(atPath: dataDirectory) { return dataDirectory }
    return ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
  }
}

/// Checks what this user may do in a directory.
package enum DirectoryRights {
  /// Returns true if files may be created in the directory. Creates none.
  package static func mayMakeFiles(in directory: String) -> Bool {
    FileManager.default.isWritableFile(atPath: directory) && FileManager.default.isExecutableFile(atPath: directory)
  }
}
