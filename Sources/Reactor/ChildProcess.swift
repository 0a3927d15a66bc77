internal import CLinux
internal import Glibc

/// A child process with exactly one owner. If the owner drops it before it has been reaped by `wait` or `stop`, it is
/// killed (SIGKILL) and reaped.
///
/// The child starts with no signal blocked, regardless of `Signals.block` in the parent, and in its own process group:
/// Ctrl-C in a terminal reaches only the parent, which stops its children in the order it chooses. Any thread may use
/// it, but only one at a time.
package struct ChildProcess: ~Copyable {
  /// The destination of the child's output.
  package enum Output: Sendable {
    /// The parent's own standard output or error.
    case inherited
    case discarded
    /// A file to which the output is appended; it is created with mode 0600 if missing.
    case file(String)
    /// An open descriptor, which the caller must still close.
    case descriptor(Int32)
  }

  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// The resources that the child and its own waited-for children have used.
  package struct Cost: Sendable {
    /// The CPU time, user plus kernel mode.
    package let processorTime: Duration
    /// The peak resident memory, in bytes.
    package let peakMemoryBytes: Int
  }

  /// The child's resource usage; nil until `wait` or `stop` has reaped the child.
  package private(set) var cost: Cost?
  /// The process id. The kernel cannot reuse it until the child is reaped.
  package let identifier: Int32
  /// A descriptor that becomes readable when the child exits, for use with an `EventLoop`.
  package var descriptor: Int32 { handle.number }
  private let handle: FileDescriptor
  private var ending: Ending?

  /// Starts `command[0]` with the rest as its arguments. A name without a slash is looked up in the parent's `PATH`,
  /// even if `environment` is given.
  /// - Parameters:
  ///   - command: the program and its arguments; traps if it is empty.
  ///   - environment: entries of the form `NAME=value`; nil to inherit the parent's environment.
  /// - Throws: the error of `posix_spawn(3)`, for example ENOENT if there is no such program; or that of
  ///   `pidfd_open(2)`, for example EMFILE, after killing the child.
  package static func start(
    _ command: [String], environment: [String]? = nil, output: Output = .inherited, errors: Output = .inherited
  ) throws(SystemError) -> ChildProcess {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe redirect(STDOUT_FILENO, output, &actions)
    unsafe redirect(STDERR_FILENO, errors, &actions)
    var none = sigset_t()
    var defaults = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&defaults)
    for number in Signals.ignored { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var identifier: pid_t = 0
    let arguments = CStrings(command)
    let variables = environment.map(CStrings.init)
    // Safe: the strings live until the call has returned, and the child has its own copy by then.
    let code = unsafe posix_spawnp(
      &identifier, command[0], &actions, &attributes, arguments.pointers,
      variables?.pointers ?? UnsafeMutablePointer(mutating: upmc_environment()))
    withExtendedLifetime((arguments, variables)) {}
    guard code == 0 else { throw SystemError(code: code, operation: "start", subject: command[0]) }
    return try ChildProcess(started: identifier)
  }

  private init(started identifier: pid_t) throws(SystemError) {
    self.identifier = identifier
    let number = upmc_pidfd_open(identifier)
    guard number >= 0 else {
      let error = SystemError.last("pidfd_open", "process \(identifier)")
      Self.killAndReap(identifier)
      throw error
    }
    handle = FileDescriptor(owning: number)
  }

  deinit {
    if ending == nil { Self.killAndReap(identifier) }
  }

  /// Kills a child that has not been reaped, and reaps it.
  private static func killAndReap(_ identifier: pid_t) {
    kill(identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  /// Sends a signal, unless the child has been reaped already.
  package func signal(_ number: Int32) {
    if ending == nil { kill(identifier, number) }
  }

  /// Waits for the child to exit, reaps it and returns how it ended; nil on timeout. Once the child is reaped, further
  /// calls return the same result at once.
  package mutating func wait(atMost timeout: Duration) -> Ending? {
    if let ending { return ending }
    let deadline = SystemClock().now + timeout
    repeat {
      let left = max(.zero, deadline - SystemClock().now)
      var entry = pollfd(fd: handle.number, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, Int32(clamping: (left.nanoseconds + 999_999) / 1_000_000)) > 0 else { continue }
      var status: Int32 = 0
      var usage = rusage()
      guard unsafe wait4(identifier, &status, WNOHANG, &usage) == identifier else { continue }
      cost = Cost(usage)
      // The layout of `waitpid(2)`'s status, whose macros Swift does not import.
      let signal = status & 0x7F
      ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
      return ending
    } while SystemClock().now < deadline
    return nil
  }

  /// Sends the signal `number`, and SIGKILL if the child has not exited within `timeout`. Blocks until the child has
  /// exited, and returns how it ended. Sends nothing if the child was reaped already.
  package mutating func stop(_ number: Int32 = SIGTERM, timeout: Duration) -> Ending {
    signal(number)
    if let ending = wait(atMost: timeout) { return ending }
    signal(SIGKILL)
    // A killed process exits, unless the kernel hangs in disk I/O, which we could not resolve either.
    while true { if let ending = wait(atMost: .seconds(60)) { return ending } }
  }

  private static func redirect(
    _ number: Int32, _ output: Output, _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>
  ) {
    switch output {
    case .inherited: break
    case .discarded: unsafe posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_WRONLY, 0)
    case .file(let path):
      unsafe posix_spawn_file_actions_addopen(actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    case .descriptor(let source): unsafe posix_spawn_file_actions_adddup2(actions, source, number)
    }
  }
}

extension ChildProcess.Cost {
  fileprivate init(_ usage: rusage) {
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    processorTime = .seconds(seconds) + .microseconds(microseconds)
    // Linux reports kibibytes (`getrusage(2)`).
    peakMemoryBytes = usage.ru_maxrss * 1024
  }
}

/// A null-terminated array of C strings, for `posix_spawn`; freed with this object.
@safe
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { unsafe pointers[index] = strdup(string) }
    unsafe pointers[count] = nil
  }

  deinit {
    for index in 0..<count { unsafe free(pointers[index]) }
    unsafe pointers.deallocate()
  }
}
