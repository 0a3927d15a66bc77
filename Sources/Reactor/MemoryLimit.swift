internal import Glibc

/// The memory available to this process: the machine's memory, or less if a container or service manager limits it
/// (`memory.max` of cgroup v2, `memory.limit_in_bytes` of v1, of the process's group and all enclosing ones). Decision
/// 098.
package enum MemoryLimit {
  /// The memory that this process may use, in bytes.
  package static var bytes: Int {
    find(physical: physicalBytes, groups: text("/proc/self/cgroup") ?? "", read: text)
  }

  private static var physicalBytes: Int { Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))) }

  /// Reads a file to its end, at most 64 KiB, because the kernel reports no reliable size for files in /proc and /sys.
  /// Returns nil if the file cannot be opened.
  private static func text(_ path: String) -> String? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      while filled < buffer.count {
        // Safe: never reads more than the space that is left.
        let count = unsafe read(file.number, buffer.baseAddress! + filled, buffer.count - filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        filled += count
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Computes the smallest applicable limit, in bytes: `physical` if no group has a lower one.
  /// - Parameters:
  ///   - physical: the machine's memory, in bytes.
  ///   - groups: content of `/proc/self/cgroup`: a line `number:controllers:path` per hierarchy (cgroups(7)).
  ///   - read: returns the text of a file; nil if it does not exist.
  static func find(physical: Int, groups: String, read: (String) -> String?) -> Int {
    var limit = physical
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].hasPrefix("/") else { continue }
      let isUnified = parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      let root = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let file = isUnified ? "memory.max" : "memory.limit_in_bytes"
      var path = parts[2]
      // In a container the path may be that of the host, while the container's own group is mounted at the root: try
      // every ancestor up to the root.
      while true {
        let name = path == "/" ? "\(root)/\(file)" : "\(root)\(path)/\(file)"
        if let bytes = read(name).flatMap({ Int($0.filter(\.isNumber)) }), bytes > 0 { limit = min(limit, bytes) }
        guard path != "/", let slash = path.lastIndex(of: "/") else { break }
        path = slash == path.startIndex ? "/" : path[..<slash]
      }
    }
    return limit
  }
}
