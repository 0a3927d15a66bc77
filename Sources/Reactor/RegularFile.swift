internal import Glibc

/// An open regular file, read-only. Special files are rejected, and so is a symbolic link as the last part of the path.
package struct RegularFile: ~Copyable, Sendable {
  /// Identifies a version of a file: if two stamps are equal, the content is taken to be the same.
  package struct Stamp: Equatable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let seconds: Int
    package let nanoseconds: Int
    /// The size of the file in bytes.
    package let size: Int

    /// Reads the stamp of a file of any kind at `path`, following symbolic links; nil if it does not exist or cannot be
    /// accessed.
    package init?(path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
      size = Int(status.st_size)
    }
  }

  private let file: FileDescriptor
  package let stamp: Stamp

  private init(_ file: consuming FileDescriptor, _ stamp: Stamp) {
    self.file = file
    self.stamp = stamp
  }

  /// Opens a file. Returns nil if `path` is a symbolic link or anything but a regular file, or cannot be opened.
  package static func open(path: String) -> RegularFile? {
    let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return RegularFile(file, Stamp(status))
  }

  /// Reads as many bytes as the file had when it was opened; nil if that fails or the file has become shorter. Call it
  /// once: a second call continues where the first ended.
  package func read() -> [UInt8]? {
    let body = unsafe [UInt8](unsafeUninitializedCapacity: stamp.size) { buffer, filled in
      while filled < stamp.size {
        // Safe: never reads more than the space that is left.
        let count = unsafe Glibc.read(file.number, buffer.baseAddress! + filled, stamp.size - filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        filled += count
      }
    }
    return body.count == stamp.size ? body : nil
  }

  /// Reads up to `wanted` bytes from `offset`; fewer only at the end of the file, and none beyond it. Returns nil if
  /// reading fails.
  package func read(_ wanted: Int, at offset: Int) -> [UInt8]? {
    var isReadable = true
    let part = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted {
        // Safe: never reads more than the space that is left.
        let count = unsafe pread(file.number, buffer.baseAddress! + filled, wanted - filled, offset + filled)
        if count < 0, errno == EINTR { continue }
        isReadable = count >= 0
        guard count > 0 else { break }
        filled += count
      }
    }
    return isReadable ? part : nil
  }

  /// Returns the absolute path with symbolic links resolved; nil if nothing exists there or it cannot be accessed.
  package static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    // Safe: realpath returns a string of its own, which the caller frees.
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }
}
