import Foundation

/// The wall clock of a node's process, which can be shifted while it runs: a preloaded library adds the offset from a
/// file. Monotonic clocks stay right.
final class WrongClock {
  private static let variable = "TORTURE_CLOCK"
  private static let source =
    PreloadNumber.source(variable: variable) + """
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <time.h>

      int clock_gettime(clockid_t clock, struct timespec *now) {
        int code = syscall(SYS_clock_gettime, clock, now);
        if (code == 0 && clock == CLOCK_REALTIME && number) now->tv_sec += *number;
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

  private let number: PreloadNumber
  private let library: String

  /// The current offset.
  var seconds: Int64 { number.value }

  /// - Parameter library: compiled by `makeLibrary`.
  init(library: String, file: String) throws {
    self.library = library
    number = try PreloadNumber(file: file)
  }

  /// Compiles the library.
  static func makeLibrary(in directory: String, path: String) throws -> String {
    try Preload.make("wrong-clock", source, in: directory, path: path)
  }

  /// The environment variables that a process needs.
  /// - Parameter preloaded: libraries that it preloads anyway.
  func variables(preloaded: String?) -> [String: String] {
    ["LD_PRELOAD": Preload.variable(library, before: preloaded), Self.variable: number.file]
  }

  /// Shifts the process's wall clock by this offset from now on.
  func set(_ seconds: Int64) throws { try number.set(seconds) }
}
