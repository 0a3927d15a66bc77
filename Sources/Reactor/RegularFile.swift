internal import Glibc

/// A regular file, opened for reading. Each method is one system call, or a loop of one.
package struct RegularFile: ~Copyable {
  /// Tells two states of a file apart: a rewritten file differs in time, to the nanosecond, or in size.
  package struct Stamp: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Last modification, nanoseconds since 1970.
    package let modified: Int64
    package let bytes: Int
  }

  package let stamp: Stamp
  private let file: FileDescriptor

  /// Nil when there is nothing of that name, it may not be read, or it is a directory, a pipe or a device.
  package init?(path: String) {
    // Not blocking: opening a pipe would wait for its writer.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    stamp = Stamp(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      modified: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec),
      bytes: Int(status.st_size))
    self.file = file
  }

  /// All of it. Nil when it cannot be read, or has become shorter since it was opened.
  package func read() -> [UInt8]? {
    let bytes = stamp.bytes
    let number = file.number
    let content = unsafe [UInt8](unsafeUninitializedCapacity: bytes) { buffer, filled in
      while filled < bytes {
        // Safe: never reads more than the space that is left.
        let count = unsafe Glibc.read(number, buffer.baseAddress! + filled, bytes - filled)
        guard count > 0 else { break }
        filled += count
      }
    }
    return content.count == bytes ? content : nil
  }

  /// The absolute path without links, `.` and `..` (`realpath(3)`); nil when there is nothing there.
  package static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    // Safe: realpath returns a string of its own, to be freed by the caller.
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }
}
