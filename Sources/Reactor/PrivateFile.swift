internal import Glibc

/// Small files that only their owner may read, such as keys.
package enum PrivateFile {
  /// Writes a file that must not exist yet, mode 0600. It appears completely or not at all, even after a crash.
  /// - Returns: false if the file exists already; it is left as it is.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
    let temporary = try writeTemporary(for: path, bytes)
    defer { _ = unsafe unlink(temporary) }
    // A link appears atomically, and fails if the name is taken.
    if unsafe link(temporary, path) == 0 { return true }
    guard errno == EEXIST else { throw .last("link", path) }
    return false
  }

  /// Writes a file, mode 0600, replacing an existing one.
  package static func replace(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let temporary = try writeTemporary(for: path, bytes)
    guard unsafe rename(temporary, path) != 0 else { return }
    let error = SystemError.last("rename", path)
    _ = unsafe unlink(temporary)
    throw error
  }

  /// Writes a complete temporary file beside the wanted one; returns its name.
  private static func writeTemporary(for path: String, _ bytes: [UInt8]) throws(SystemError) -> String {
    let temporary = "\(path).\(getpid())"
    let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("create", temporary) }
    let file = FileDescriptor(owning: number)
    guard unsafe write(file.number, bytes, bytes.count) == bytes.count, fsync(file.number) == 0 else {
      let error = SystemError.last("write", temporary)
      _ = unsafe unlink(temporary)
      throw error
    }
    return temporary
  }
}

/// The process's standard error.
package enum StandardError {
  /// True if a person sees what is written there.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Uses one system call, so that lines of several threads never mix.
  package static func write(_ bytes: [UInt8]) {
    _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// The process's standard output.
package enum StandardOutput {
  /// Uses one system call, unbuffered: a reader of a pipe must not wait for a buffer to fill.
  package static func write(_ bytes: [UInt8]) {
    _ = unsafe Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
