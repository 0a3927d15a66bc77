internal import Glibc

/// Runs a program to its end and captures its output.
extension ChildProcess {
  /// What a program printed, how it ended and which resources it used.
  package struct Report: Sendable {
    package let ending: Ending
    package let cost: Cost
    /// The standard output, interleaved with standard error if requested.
    package let output: [UInt8]

    package var succeeded: Bool { ending == .exited(0) }
    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs a program until it has closed its output and exited, and returns its output. Blocks.
  /// - Parameters:
  ///   - command: the program and its arguments, as for `start`.
  ///   - environment: entries of the form `NAME=value`; nil to inherit the parent's environment.
  ///   - withErrors: true to capture standard error too, interleaved as on a terminal; otherwise it is the parent's.
  ///   - timeout: time from the call to the exit.
  ///   - isStopped: asked several times a second while the program prints nothing; true ends it. Nil: never.
  /// - Throws: ETIMEDOUT on timeout and ECANCELED when stopped, after killing the program (but not its descendants);
  ///   the error of `socketpair(2)` or `start` if the program cannot be started.
  package static func run(
    _ command: [String], environment: [String]? = nil, withErrors: Bool = false, atMost timeout: Duration,
    unless isStopped: (() -> Bool)? = nil
  ) throws(SystemError) -> Report {
    let deadline = SystemClock().now + timeout
    var ends: [Int32] = [0, 0]
    // A socket pair instead of a pipe, because Swift cannot create a close-on-exec pipe atomically.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last("socketpair") }
    let reader = FileDescriptor(owning: ends[0])
    var child = try start(
      command, environment: environment, writer: FileDescriptor(owning: ends[1]), withErrors: withErrors)
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let rest = max(.zero, deadline - SystemClock().now)
      let left = isStopped == nil ? rest : min(rest, lookInterval)
      var entry = pollfd(fd: reader.number, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, Int32(clamping: left.nanoseconds / 1_000_000)) > 0 else {
        if let isStopped, isStopped() {
          throw SystemError(code: ECANCELED, operation: "run", subject: command[0])
        }
        if SystemClock().now < deadline { continue }
        throw SystemError(code: ETIMEDOUT, operation: "run", subject: command[0])
      }
      let count = unsafe read(reader.number, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += block[0..<count]
    }
    guard let ending = child.wait(atMost: max(.zero, deadline - SystemClock().now)), let cost = child.cost else {
      throw SystemError(code: ETIMEDOUT, operation: "run", subject: command[0])
    }
    return Report(ending: ending, cost: cost, output: output)
  }

  /// The interval at which `run` asks whether it is stopped.
  private static let lookInterval: Duration = .milliseconds(250)

  /// Starts the program with `writer` as its output. Closes this process's copy of `writer` on return, so that the
  /// reader sees the end of the stream when the program has closed its own copies.
  private static func start(
    _ command: [String], environment: [String]?, writer: consuming FileDescriptor, withErrors: Bool
  ) throws(SystemError) -> ChildProcess {
    let output = Output.descriptor(writer.number)
    return try start(command, environment: environment, output: output, errors: withErrors ? output : .inherited)
  }
}
