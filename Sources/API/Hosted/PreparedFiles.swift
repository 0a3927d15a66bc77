internal import Synchronization

/// Cache of files by path, each prepared at its first request, once for all loops of a process.
final class PreparedFiles: Sendable {
  private let made = Mutex<[String: PreparedFile]>([:])

  /// Returns a file, and creates it with `make` on the first request.
  func file(_ path: String, _ make: () -> PreparedFile?) -> PreparedFile? {
    made.withLock { made in
      if let file = made[path] { return file }
      let file = make()
      made[path] = file
      return file
    }
  }
}
