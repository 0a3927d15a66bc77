internal import CLinux
internal import Glibc

/// A child process with exactly one owner; killed and reaped if the owner ends without waiting.
///
/// It starts with no signal blocked, whatever `Signals.block` did here, and in a process group of its own: Ctrl-C in a
/// terminal then reaches only us, and we stop our children in the order we choose. Can be used from any one thread.
package struct ChildProcess: ~Copyable {
  /// Where its output goes.
  package enum Output: Sendable {
    /// Same as ours.
    case inherited
    case discarded
    /// Appended to a file, created if missing, readable by its owner only.
    case file(String)
    /// To an open descriptor, which the caller still closes.
    case descriptor(Int32)
  }

  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// Resources that it used in its life, including children that it has waited for.
  package struct Cost: Sendable {
    /// Processor time, in user and kernel mode.
    package let processorTime: Duration
    /// Peak memory, in bytes.
    package let peakMemoryBytes: Int
  }

  /// Known once the program has been reaped.
  package private(set) var cost: Cost?
  /// The process ID. Valid until the program is reaped: it cannot be reused before.
  package let identifier: Int32
  /// Becomes readable when the program ends; for an `EventLoop`.
  package var descriptor: Int32 { handle.number }
  private let handle: FileDescriptor
  private var ending: Ending?

  /// Starts `command[0]`, looked up in `PATH` unless it contains a slash, with the rest as its arguments.
  /// - Parameter environment: `NAME=value` each; nil for ours.
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
    guard number >= 0 else { throw .last("pidfd_open", "process \(identifier)") }
    handle = FileDescriptor(owning: number)
  }

  deinit {
    guard ending == nil else { return }
    kill(identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  /// Sends a signal, unless the program has been reaped already.
  package func signal(_ number: Int32) {
    if ending == nil { kill(identifier, number) }
  }

  /// Waits for the end; nil on timeout. Further calls return the same result.
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

  /// Asks the program to end, and kills it if it has not ended in time.
  package mutating func stop(_ number: Int32 = SIGTERM, timeout: Duration) -> Ending {
    signal(number)
    if let ending = wait(atMost: timeout) { return ending }
    signal(SIGKILL)
    // A killed process ends, unless the kernel itself hangs in disk I/O: then nothing else would help either.
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
    // Linux counts in KiB (`getrusage(2)`).
    peakMemoryBytes = usage.ru_maxrss * 1024
  }
}

/// C strings for a command: a null-terminated array, freed with this object.
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
