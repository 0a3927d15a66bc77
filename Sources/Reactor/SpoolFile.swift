internal import Glibc

/// An anonymous temporary file for data too large for memory. It is unlinked as soon as it is created, so that nothing
/// is left behind, even after a crash.
///
/// Writes go to the page cache, and wait for the disk only if too much of the cache is unwritten. The file is never
/// synced, because its content need not survive a crash.
package final class SpoolFile: Sendable {
  /// What errors name, because the file has no name.
  private static let subject = "the spool file of a request"

  private let file: FileDescriptor

  /// Creates an empty file, which disappears when this object is released.
  /// - Parameter directory: an existing directory on a file system with enough space.
  package init(in directory: String) throws(SystemError) {
    let path = "\(directory)/spool.\(getpid()).\(UInt64.random(in: .min ... .max))"
    let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("create", path) }
    file = FileDescriptor(owning: number)
    _ = unsafe unlink(path)
  }

  package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      // Safe: writes no more than the rest of the span, which outlives the call.
      let taken = unsafe bytes.withUnsafeBytes { raw in
        unsafe pwrite(file.number, raw.baseAddress! + written, raw.count - written, offset + written)
      }
      guard taken > 0 else {
        if taken < 0, errno == EINTR { continue }
        throw .last("write", Self.subject)
      }
      written += taken
    }
  }

  /// Reads exactly `wanted` bytes from `offset`. Throws if the file ends sooner, or reading fails.
  package func read(_ wanted: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let part = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted {
        // Safe: reads no more than the free space of the buffer.
        let taken = unsafe pread(file.number, buffer.baseAddress! + filled, wanted - filled, offset + filled)
        if taken < 0, errno == EINTR { continue }
        guard taken > 0 else {
          // 0 is the end of the file, which `errno` does not report.
          let code = taken == 0 ? ENODATA : errno
          failure = SystemError(code: code, operation: "read", subject: Self.subject)
          break
        }
        filled += taken
      }
    }
    if let failure { throw failure }
    return part
  }
}
