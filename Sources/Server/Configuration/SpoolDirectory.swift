internal import FoundationEssentials

/// Where uploads are kept until they are stored.
extension Configuration {
  /// The data directory, or the system's place for such files where there is none.
  package var spoolDirectory: String {
    if FileManager.default.fileExists(atPath: dataDirectory) { return dataDirectory }
    return ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
  }
}

/// What this user may do in a directory.
package enum DirectoryRights {
  /// Asks only: nothing is made.
  package static func mayMakeFiles(in directory: String) -> Bool {
    FileManager.default.isWritableFile(atPath: directory) && FileManager.default.isExecutableFile(atPath: directory)
  }
}
