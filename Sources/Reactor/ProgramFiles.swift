internal import Glibc

/// Locates the resource directories installed with the program, such as `Migrations` and `Public`.
package enum ProgramFiles {
  /// Returns the candidate paths of a resource directory, in order of preference: beside the executable, in the working
  /// directory (a source tree), and where packages and images install it.
  package static func places(of name: String) -> [String] {
    let program = RegularFile.resolve("/proc/self/exe") ?? ""
    let directory = program.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return ["\(directory)/\(name)", name, "/usr/local/share/upmc/\(name)", "/usr/share/upmc/\(name)"]
  }

  /// Returns the first candidate of `places` that is a directory; nil if there is none.
  package static func find(_ name: String) -> String? {
    places(of: name).first(where: isDirectory)
  }

  /// Returns whether `path` is a directory, or a symbolic link to one; false also if it cannot be accessed.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
