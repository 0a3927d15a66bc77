import Glibc

/// Directories that a test makes and removes.
package enum TemporaryDirectory {
  /// Makes an empty directory of its own with a short name, mode 0755, under /tmp.
  package static func make(prefix: String = "upmc-test.") -> String {
    var template = Array("/tmp/\(prefix)XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { preconditionFailure("mkdtemp failed in /tmp") }
    let name = String(cString: path)
    chmod(name, 0o755)
    return name
  }

  /// Removes a directory with all it holds; does not follow symbolic links.
  package static func remove(_ path: String) {
    for entry in entries(of: path) {
      let child = "\(path)/\(entry)"
      if isDirectory(child) { remove(child) } else { unlink(child) }
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

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
