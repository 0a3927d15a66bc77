internal import Glibc

/// Reads a pipe that has a path, as `/dev/stdin` or what a shell makes of `<(…)`.
package enum PipeFile {
  /// Reads until the writer closes the pipe, blocking the calling thread.
  /// - Returns: what was read; nil if `path` is not a pipe, cannot be read, or holds more than `limit` bytes.
  package static func read(path: String, atMost limit: Int) -> [UInt8]? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    var status = stat()
    guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= limit {
      let count = unsafe Glibc.read(file.number, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
    return nil
  }
}
