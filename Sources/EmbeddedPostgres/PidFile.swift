/// The contents of `postmaster.pid`, which PostgreSQL keeps in its data directory while it runs (`miscadmin.h`,
/// LOCK_FILE_LINE_*).
struct PidFile: Equatable {
  let pid: Int32
  /// The directory of the server's socket; nil while the server is starting.
  let socketDirectory: String?

  /// Parses the file; nil if the text contains no process id.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let pid = lines.first.flatMap({ Int32($0) }), pid > 1 else { return nil }
    self.pid = pid
    let socket = lines.count > 4 ? lines[4] : ""
    socketDirectory = socket.isEmpty ? nil : String(socket)
  }

  /// The result of examining the process that a pid file names.
  enum Claim: Equatable {
    /// The process is a postmaster of this data directory.
    case holds
    /// The process does not exist, is another program, or is another cluster's server.
    case isStale
    /// The process exists, but its command line is not readable or not conclusive.
    case isHidden
  }

  /// Examines a process by its command line, which root in a container can read even if the process belongs to another
  /// user (unlike `/proc/…/exe` and `cwd`).
  /// - Parameters:
  ///   - commandLine: contents of `/proc/PID/cmdline`; nil if it cannot be read.
  ///   - exists: true if `/proc/PID` exists.
  ///   - isCluster: returns true if a path leads to this data directory; nil if that cannot be determined.
  static func judge(commandLine: [UInt8]?, exists: Bool, isCluster: (String) -> Bool?) -> Claim {
    guard exists else { return .isStale }
    guard let commandLine else { return .isHidden }
    let words = commandLine.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let program = words.first?.split(separator: "/").last ?? ""
    guard program == "postgres" || program == "postmaster" else { return .isStale }
    // `-D path`, or `-Dpath` as one word; with neither, the server was started in an unknown way.
    var directory = words.first { $0.hasPrefix("-D") && $0.count > 2 }.map { String($0.dropFirst(2)) }
    if let index = words.firstIndex(of: "-D"), index + 1 < words.count { directory = words[index + 1] }
    switch directory.flatMap(isCluster) {
    case .some(true): return .holds
    case .some(false): return .isStale
    case .none: return .isHidden
    }
  }
}
