package import Reactor
internal import Glibc

/// A child process that outlives this one, such as a PostgreSQL server.
///
/// It is started in its own session (so Ctrl-C in the terminal does not reach it), with no signals blocked, `/dev/null`
/// as standard input, and no other descriptors inherited, because all of ours are close-on-exec. Dropping this value
/// does not end it; use `ChildProcess` for programs that must not outlive their owner.
package struct DetachedProcess: Sendable {
  /// How a process ended.
  package enum End: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
    /// The process is not a child of this one (any more), so its exit status is unknown.
    case unknown
  }

  package let pid: Int32

  /// Starts a program.
  /// - Parameters:
  ///   - words: the program's absolute path and its arguments.
  ///   - environment: its complete environment, as `NAME=value`; nothing is inherited.
  ///   - output: file to which standard output and error are appended, created with mode 0600 if missing; nil to
  ///     discard them.
  package init(_ words: [String], environment: [String] = [], output: String? = nil) throws(SystemError) {
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    // A child inherits ignored signals. Restore the default action of SIGPIPE; SIGUSR1 and SIGUSR2 stay ignored.
    unsafe sigaddset(&mask, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &mask)
    unsafe posix_spawnattr_setflags(&attributes, Self.flags)
    var pid = pid_t()
    // Safe: all lists are nil-terminated and outlive the call.
    let code = unsafe posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw SystemError(code: code, operation: "posix_spawn", subject: words[0]) }
    self.pid = pid
  }

  /// `POSIX_SPAWN_SETSID` (0x80, since glibc 2.26) requires `_GNU_SOURCE`, which Swift's Glibc module map does not
  /// define.
  private static let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80)

  /// Returns how the process ended; nil while it runs. Does not block. Reaps the process: do not call again after a
  /// non-nil result.
  package func poll() -> End? {
    var status: Int32 = 0
    switch unsafe waitpid(pid, &status, WNOHANG) {
    case 0: return nil
    case pid: return End(status)
    default: return .unknown
    }
  }
}

extension DetachedProcess.End {
  /// Decodes a `waitpid` status (`wait(2)`), whose macros Swift does not import.
  fileprivate init(_ status: Int32) {
    self = status & 0x7F == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
  }
}
