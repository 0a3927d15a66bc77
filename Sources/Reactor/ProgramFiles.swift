internal import Glibc

/// Locates the directories that come with the program, such as `Migrations` and `Public`.
package enum ProgramFiles {
  /// Where a directory may be, in order of preference: beside the program, however it was started; in the working
  /// directory, as in a source tree; and where packages and images install it.
  package static func places(of name: String) -> [String] {
    let program = RegularFile.resolve("/proc/self/exe") ?? ""
    let directory = program.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return ["\(directory)/\(name)", name, "/usr/local/share/upmc/\(name)", "/usr/share/upmc/\(name)"]
  }

  /// Nil if it is in none of these places.
  package static func find(_ name: String) -> String? {
    places(of: name).first(where: isDirectory)
  }

  /// Follows symbolic links.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
