internal import Glibc

/// A new file that only its owner may read (mode 0600), written from its beginning to its end.
package final class GrowingFile {
  private let file: FileDescriptor
  private let path: String

  /// Creates the file.
  /// - Throws: EEXIST if a file of this name exists, and the errors of `open(2)`.
  package init(_ path: String) throws(SystemError) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("create", path) }
    file = FileDescriptor(owning: number)
    self.path = path
  }

  /// Appends all of the bytes. If that fails, some of them may have been written.
  package func append(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(file.number, $0.baseAddress, $0.count) }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw .last("write", path)
      }
      rest.removeFirst(count)
    }
  }

  /// Syncs the file, so that what was appended survives a crash. Does not sync the directory.
  package func finish() throws(SystemError) {
    guard fsync(file.number) == 0 else { throw .last("fsync", path) }
  }
}
