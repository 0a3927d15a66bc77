import Foundation

/// A number in a file that a preloaded library has mapped: setting it takes effect in its processes at once.
final class PreloadNumber {
  let file: String
  private(set) var value: Int64 = 0

  init(file: String) throws {
    self.file = file
    try set(0)
  }

  /// C code for the library: `number` points to the value in a process whose environment names the file, and is null in
  /// all others.
  /// - Parameter variable: name of the environment variable.
  static func source(variable: String) -> String {
    """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>

    static const volatile int64_t *number;

    __attribute__((constructor)) static void find(void) {
      const char *path = getenv("\(variable)");
      int file = path ? open(path, O_RDONLY) : -1;
      void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof *number, PROT_READ, MAP_SHARED, file, 0);
      if (file >= 0) close(file);
      if (page != MAP_FAILED) number = page;
    }

    """
  }

  func set(_ value: Int64) throws {
    self.value = value
    let bytes = withUnsafeBytes(of: value) { Data($0) }
    // Written in place, because processes have the page mapped.
    guard let handle = FileHandle(forUpdatingAtPath: file) else {
      return try bytes.write(to: URL(filePath: file))
    }
    try handle.write(contentsOf: bytes)
    try handle.close()
  }
}
