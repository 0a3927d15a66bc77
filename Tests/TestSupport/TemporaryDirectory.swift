import Glibc

/// Directories that a test makes and removes.
package enum TemporaryDirectory {
  /// Makes an empty directory of its own with a short name, mode 0755.
  package static func make(prefix: String = "upmc-test.", under parent: String = "/tmp") -> String {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { preconditionFailure("mkdtemp failed in \(parent)") }
    let name = String(cString: path)
    chmod(name, 0o755)
    return name
  }

  /// Writes a file, replacing what was there.
  package static func write(_ path: String, _ text: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    precondition(file >= 0, "cannot write \(path)")
    defer { close(file) }
    let bytes = Array(text.utf8)
    precondition(Glibc.write(file, bytes, bytes.count) == bytes.count, "cannot write \(path)")
  }

  /// The text of a file; nil when it is not there.
  package static func read(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &block, block.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += block[..<count]
    }
  }

  /// Removes a file, or a directory with all it holds; does not follow symbolic links.
  package static func remove(_ path: String) {
    guard isDirectory(path) else {
      unlink(path)
      return
    }
    for entry in entries(of: path) {
      remove("\(path)/\(entry)")
    }
    rmdir(path)
  }

  /// Names in a directory; none when it is not there.
  package static func entries(of path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Paths of the files in a directory and all below it.
  package static func files(below path: String) -> [String] {
    entries(of: path).map { "\(path)/\($0)" }.flatMap { isDirectory($0) ? files(below: $0) : [$0] }
  }

  /// Where there is memory enough for files that many tests write and nobody keeps; else /tmp.
  package static let roomy: String = {
    var status = statvfs()
    guard statvfs("/dev/shm", &status) == 0, access("/dev/shm", W_OK) == 0 else { return "/tmp" }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 6 << 30 ? "/dev/shm" : "/tmp"
  }()

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
