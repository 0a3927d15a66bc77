internal import FoundationEssentials

/// Whether there is a private database to speak of: asking must not make one.
package enum PrivateDatabase {
  package static func exists(in directory: String) -> Bool {
    ["postgres", "postgres.location"].contains { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }
  }

  package static func hasKey(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/master.key")
  }
}
