internal import FoundationEssentials

/// Whether a private database exists; checking must not create one.
package enum PrivateDatabase {
  package static func exists(in directory: String) -> Bool {
    ["postgres", "postgres.location"].contains { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }
  }

  package static func hasKey(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/master.key")
  }
}
