internal import FoundationEssentials

/// Where uploads are kept until they are stored.
extension Configuration {
  /// The data directory, or the system's place for such files where there is none.
  var spoolDirectory: String {
    if FileManager.default.fileExists(atPath: dataDirectory) { return dataDirectory }
    return ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
  }
}
