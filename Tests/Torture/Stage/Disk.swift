import Glibc

/// The file system of a directory.
struct Disk {
  /// A file system below this many bytes is assumed to have been made for the test.
  private static let small: UInt64 = 4 << 30
  private static let blockBytes = 1 << 20

  private let directory: String
  private let bytes: UInt64

  /// Nil if there is no such directory.
  init?(_ directory: String) {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return nil }
    self.directory = directory
    bytes = UInt64(status.f_blocks) * UInt64(status.f_frsize)
  }

  var isSmall: Bool { bytes <= Self.small }

  /// Allocates all free space, to the last page. Call the returned closure to free it.
  func fill() -> () -> Void {
    let path = directory + "/filler"
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return {} }
    var size = Self.blockBytes
    let block = [UInt8](repeating: 1, count: size)
    while size >= 4096 {
      // A short or failed write: less space is left than that.
      if write(file, block, size) < size { size /= 2 }
    }
    close(file)
    return { unlink(path) }
  }
}
