/// `postmaster.pid`, which PostgreSQL keeps in its data directory while it runs (`miscadmin.h`, LOCK_FILE_LINE_*).
struct PidFile: Equatable {
  let pid: Int32
  /// Absent while the server is still starting.
  let socketDirectory: String?

  /// Nil when the text has no process id.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let pid = lines.first.flatMap({ Int32($0) }), pid > 1 else { return nil }
    self.pid = pid
    let socket = lines.count > 4 ? lines[4] : ""
    socketDirectory = socket.isEmpty ? nil : String(socket)
  }

  /// What the process in a pid file turns out to be.
  enum Claim: Equatable {
    /// A postmaster of this data directory.
    case holds
    /// No such process, certainly another program, or another cluster's server.
    case isStale
    /// A process whose command line is not readable, or not conclusive.
    case isHidden
  }

  /// Judges by the command line, which root in a container can read even when the process is another user's (unlike
  /// `/proc/…/exe` and `cwd`).
  /// - Parameters:
  ///   - commandLine: bytes of `/proc/PID/cmdline`; nil when it cannot be read.
  ///   - exists: whether `/proc/PID` exists.
  ///   - isCluster: whether a path leads to this data directory; nil when that cannot be determined.
  static func judge(commandLine: [UInt8]?, exists: Bool, isCluster: (String) -> Bool?) -> Claim {
    guard exists else { return .isStale }
    guard let commandLine else { return .isHidden }
    let words = commandLine.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let program = words.first?.split(separator: "/").last ?? ""
    guard program == "postgres" || program == "postmaster" else { return .isStale }
    // `-D path`, or `-Dpath` in one word; with neither, the server was started in a way that we cannot judge.
    var directory = words.first { $0.hasPrefix("-D") && $0.count > 2 }.map { String($0.dropFirst(2)) }
    if let index = words.firstIndex(of: "-D"), index + 1 < words.count { directory = words[index + 1] }
    switch directory.flatMap(isCluster) {
    case .some(true): return .holds
    case .some(false): return .isStale
    case .none: return .isHidden
    }
  }
}
