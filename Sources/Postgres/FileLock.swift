package import Reactor
internal import Glibc

/// A lock between processes on one machine: a file that is locked as long as this object holds it (`flock(2)`).
///
/// The kernel releases it when the process ends, however it ends. Children do not inherit it.
package final class FileLock {
  package let path: String
  private let file: FileDescriptor

  /// Opens the lock file, making it (mode 0600) when it is not there; locks nothing yet.
  package init(path: String) throws(SystemError) {
    self.path = path
    let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", path) }
    file = FileDescriptor(owning: number)
  }

  /// Takes the lock alone. False when somebody else has it; a shared lock held here is then lost.
  package func tryExclusive() -> Bool {
    flock(file.number, LOCK_EX | LOCK_NB) == 0
  }

  /// Takes the lock together with others. False when somebody has it alone.
  package func tryShared() -> Bool {
    flock(file.number, LOCK_SH | LOCK_NB) == 0
  }

  /// Gives the lock back.
  package func unlock() {
    _ = flock(file.number, LOCK_UN)
  }
}
