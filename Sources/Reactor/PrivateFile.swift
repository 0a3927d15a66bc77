internal import Glibc

/// Writes small files that only their owner may read (mode 0600), such as keys.
package enum PrivateFile {
  /// Creates a file atomically: even after a crash it exists completely or not at all. Returns false if the file exists
  /// already; it is left unchanged.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
    let temporary = try writeTemporary(for: path, bytes)
    defer { _ = unsafe unlink(temporary) }
    // A link appears atomically, and fails if the name is taken.
    if unsafe link(temporary, path) == 0 {
      syncDirectory(of: path)
      return true
    }
    guard errno == EEXIST else { throw .last("link", path) }
    return false
  }

  /// Writes a file atomically, replacing an existing one.
  /// - Parameter keepsOwner: true to give the new file the owner, group and mode of the existing one, because another
  ///   user reads it. Otherwise, or if none exists, it belongs to this process's user, with mode 0600.
  package static func replace(_ path: String, _ bytes: [UInt8], keepsOwner: Bool = false) throws(SystemError) {
    let temporary = try writeTemporary(for: path, bytes)
    if keepsOwner {
      do throws(SystemError) {
        try give(temporary, theOwnerOf: path)
      } catch {
        _ = unsafe unlink(temporary)
        throw error
      }
    }
    guard unsafe rename(temporary, path) != 0 else { return syncDirectory(of: path) }
    let error = SystemError.last("rename", path)
    _ = unsafe unlink(temporary)
    throw error
  }

  /// Syncs the directory of a file, so that the file's name survives a failure of power, too. Ignores failures, because
  /// some file systems do not support it.
  private static func syncDirectory(of path: String) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let number = unsafe open(directory, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return }
    let file = FileDescriptor(owning: number)
    _ = fsync(file.number)
  }

  private static func give(_ temporary: String, theOwnerOf path: String) throws(SystemError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    guard unsafe chown(temporary, status.st_uid, status.st_gid) == 0 else { throw .last("chown", temporary) }
    guard unsafe chmod(temporary, status.st_mode & 0o777) == 0 else { throw .last("chmod", temporary) }
  }

  /// Writes and syncs the bytes to a new temporary file (mode 0600) beside `path` and returns its name. The name is
  /// random, not the process id: in a container the id is always the same, and a file left over from a crash would
  /// block every later attempt.
  private static func writeTemporary(for path: String, _ bytes: [UInt8]) throws(SystemError) -> String {
    let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("create", temporary) }
    let file = FileDescriptor(owning: number)
    let count = unsafe write(file.number, bytes, bytes.count)
    guard count == bytes.count, fsync(file.number) == 0 else {
      // `write` reports no error if it writes only a part. For so few bytes, the cause is a full disk.
      let isCutShort = count >= 0 && count < bytes.count
      let error =
        isCutShort ? SystemError(code: ENOSPC, operation: "write", subject: temporary) : .last("write", temporary)
      _ = unsafe unlink(temporary)
      throw error
    }
    return temporary
  }
}

/// The process's standard error.
package enum StandardError {
  /// True if standard error is a terminal.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes with a single system call, so that lines of several threads do not mix (in a pipe: lines of at most 4,096
  /// bytes). Blocks if the reader of a pipe is slow. Ignores errors, and does not write the rest if only a part is
  /// written.
  package static func write(_ bytes: [UInt8]) {
    _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// The process's standard output.
package enum StandardOutput {
  /// Writes with a single system call and without buffering, so that the reader of a pipe receives each line at once.
  /// Blocks if that reader is slow. Ignores errors, and does not write the rest if only a part is written.
  package static func write(_ bytes: [UInt8]) {
    _ = unsafe Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
