package import Reactor
internal import Glibc

/// A lock between processes on one machine: a file that is locked as long as this object holds the lock (`flock(2)`).
///
/// The kernel releases it when the process ends, however it ends. Children do not inherit it.
package final class FileLock {
  package let path: String
  private let file: FileDescriptor

  /// Opens the lock file, creating it (mode 0600) if missing; does not lock it yet.
  package init(path: String) throws(SystemError) {
    self.path = path
    let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", path) }
    file = FileDescriptor(owning: number)
  }

  /// Takes the lock exclusively. Returns false if another holder has it; a shared lock held here is then lost.
  package func tryExclusive() -> Bool {
    flock(file.number, LOCK_EX | LOCK_NB) == 0
  }

  /// Takes the lock as a shared one. Returns false if another holder has it exclusively.
  package func tryShared() -> Bool {
    flock(file.number, LOCK_SH | LOCK_NB) == 0
  }

  /// Releases the lock.
  package func unlock() {
    _ = flock(file.number, LOCK_UN)
  }
}
