import Foundation
import Reactor

/// The wall clock of a node's process, which can be set wrong while it runs: a library in front of the system's own adds to
/// it what a file says. Nobody's monotonic clock is wrong.
final class WrongClock {
  private static let source = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static const volatile int64_t *seconds;

    __attribute__((constructor)) static void find(void) {
      const char *path = getenv("TORTURE_CLOCK");
      int file = path ? open(path, O_RDONLY) : -1;
      void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
      if (file >= 0) close(file);
      if (page != MAP_FAILED) seconds = page;
    }

    int clock_gettime(clockid_t clock, struct timespec *now) {
      int code = syscall(SYS_clock_gettime, clock, now);
      if (code == 0 && clock == CLOCK_REALTIME && seconds) now->tv_sec += *seconds;
      return code;
    }

    int gettimeofday(struct timeval *now, void *zone) {
      struct timespec time;
      int code = clock_gettime(CLOCK_REALTIME, &time);
      now->tv_sec = time.tv_sec;
      now->tv_usec = time.tv_nsec / 1000;
      return code;
    }

    time_t time(time_t *now) {
      struct timespec time;
      clock_gettime(CLOCK_REALTIME, &time);
      if (now) *now = time.tv_sec;
      return time.tv_sec;
    }
    """

  private let file: String
  private let library: String
  private(set) var seconds: Int64 = 0

  /// - Parameter library: as `makeLibrary` has made it.
  init(library: String, file: String) throws {
    (self.library, self.file) = (library, file)
    try set(0)
  }

  /// Compiles the library.
  static func makeLibrary(in directory: String, path: String) throws -> String {
    try Preload.make("wrong-clock", source, in: directory, path: path)
  }

  /// What a process needs in its environment.
  /// - Parameter preloaded: what is loaded in front of it anyway.
  func variables(preloaded: String?) -> [String: String] {
    ["LD_PRELOAD": Preload.variable(library, before: preloaded), "TORTURE_CLOCK": file]
  }

  /// From now on the process's wall clock is wrong by so much.
  func set(_ seconds: Int64) throws {
    self.seconds = seconds
    let bytes = withUnsafeBytes(of: seconds) { Data($0) }
    // In place: the process has its page mapped.
    guard let handle = FileHandle(forUpdatingAtPath: file) else {
      return try bytes.write(to: URL(filePath: file))
    }
    try handle.write(contentsOf: bytes)
    try handle.close()
  }
}
