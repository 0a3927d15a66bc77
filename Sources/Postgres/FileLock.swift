package import Reactor
internal import Glibc

/// A lock between processes on one machine, by `flock(2)` on a file.
///
/// The kernel releases it when the process ends for whatever reason. Child processes do not inherit it.
package final class FileLock {
  package let path: String
  private let file: FileDescriptor

  /// Opens the lock file, creating it with mode 0600 if missing. Does not lock it yet.
  package init(path: String) throws(SystemError) {
    self.path = path
    let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", path) }
    file = FileDescriptor(owning: number)
  }

  /// Acquires the lock exclusively without waiting. Returns false if another process, or another `FileLock` of this
  /// one, holds the lock in any mode; a shared lock held here is lost then.
  package func tryExclusive() -> Bool {
    flock(file.number, LOCK_EX | LOCK_NB) == 0
  }

  /// Acquires a shared lock without waiting; an exclusive lock held here becomes shared. Returns false if another
  /// process, or another `FileLock` of this one, holds the lock exclusively.
  package func tryShared() -> Bool {
    flock(file.number, LOCK_SH | LOCK_NB) == 0
  }

  /// Releases the lock; has no effect if it is not held.
  package func unlock() {
    _ = flock(file.number, LOCK_UN)
  }
}
