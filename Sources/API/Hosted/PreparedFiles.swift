internal import Synchronization

/// Cache of files by path, each prepared at its first request, once for all loops of a process. Callable from any
/// thread.
final class PreparedFiles: Sendable {
  private let made = Mutex<[String: PreparedFile]>([:])

  /// Returns the file of a path, created with `make` at the first request; other threads wait meanwhile. Nil if `make`
  /// returns nil, which is not cached.
  func file(_ path: String, _ make: () -> PreparedFile?) -> PreparedFile? {
    made.withLock { made in
      if let file = made[path] { return file }
      let file = make()
      made[path] = file
      return file
    }
  }
}
