internal import FoundationEssentials

/// Tells whether a private database exists, without creating one.
package enum PrivateDatabase {
  package static func exists(in directory: String) -> Bool {
    ["postgres", "postgres.location"].contains { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }
  }

  package static func hasKey(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/master.key")
  }
}
