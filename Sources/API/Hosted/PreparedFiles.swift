internal import Synchronization

/// Files by path that are prepared when they are first asked for, once for all loops of a process.
final class PreparedFiles: Sendable {
  private let made = Mutex<[String: PreparedFile]?>(nil)

  /// Returns the files; calls `make` if nobody has asked for them yet.
  func files(_ make: () -> [String: PreparedFile]) -> [String: PreparedFile] {
    made.withLock { made in
      if let made { return made }
      let files = make()
      made = files
      return files
    }
  }
}
