internal import FoundationEssentials

/// Whether there is a private database to speak of: asking must not make one.
enum PrivateDatabase {
  static func exists(in directory: String) -> Bool {
    ["postgres", "postgres.location"].contains { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }
  }

  static func hasKey(in directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/master.key")
  }
}
