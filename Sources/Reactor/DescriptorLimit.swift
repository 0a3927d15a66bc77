internal import Glibc

/// The limit of open file descriptors of this process (`getrlimit(2)`, RLIMIT_NOFILE).
package enum DescriptorLimit {
  /// Raises the soft limit to the hard limit if possible, and returns the soft limit now in force; 1,024 if it cannot
  /// be read. The default soft limit is often 1,024, for the sake of programs that use `select(2)`; a server with one
  /// connection per device needs more.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    return Int(clamping: limit.rlim_cur)
  }
}
