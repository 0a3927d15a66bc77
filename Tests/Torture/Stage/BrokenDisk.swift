import Foundation
import TestSupport

/// The disk of PostgreSQL's log, which can break: a preloaded library fails all writes and syncs under `pg_wal` with
/// EIO while a file says so. The disk with the data files stays intact.
final class BrokenDisk {
  private static let variable = "TORTURE_DISK"
  private static let source =
    PreloadNumber.source(variable: variable) + """
      #include <stdio.h>
      #include <string.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>

      static int is_broken(int file) {
        if (!number || !*number) return 0;
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 0) return 0;
        path[length] = 0;
        if (!strstr(path, "/pg_wal/")) return 0;
        errno = EIO;
        return 1;
      }

      ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
        return is_broken(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
      }

      ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
        return is_broken(file) ? -1 : syscall(SYS_pwritev, file, parts, count, at, 0);
      }

      int fsync(int file) { return is_broken(file) ? -1 : syscall(SYS_fsync, file); }

      int fdatasync(int file) { return is_broken(file) ? -1 : syscall(SYS_fdatasync, file); }
      """

  /// Directory of PostgreSQL's programs, each wrapped to preload the library.
  let programs: String
  private let number: PreloadNumber

  /// Compiles the library.
  init(in directory: String, path: String) throws {
    let library = try Preload.make("broken-disk", Self.source, in: directory, path: path)
    number = try PreloadNumber(file: directory + "/broken-disk")
    programs = directory + "/programs"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    for name in ["initdb", "postgres"] {
      let script = """
        #!/bin/sh
        export LD_PRELOAD="\(library)" \(Self.variable)="\(number.file)"
        exec "\(PostgresBinaries.directory)/\(name)" "$@"
        """
      try Data(script.utf8).write(to: URL(filePath: "\(programs)/\(name)"))
      chmod("\(programs)/\(name)", 0o755)
    }
    // If we are root, PostgreSQL runs as another user.
    for file in [library, number.file] { chmod(file, 0o755) }
    chmod(programs, 0o755)
  }

  func set(isBroken: Bool) throws { try number.set(isBroken ? 1 : 0) }
}
