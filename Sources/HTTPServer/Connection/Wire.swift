internal import Reactor

/// A connection's transport and its registration with the event loop.
///
/// Invariant: while there is a transport, the loop watches its descriptor for exactly `interest`; after `close` there
/// is neither.
final class Wire {
  private let loop: EventLoop
  private var transport: Transport?
  private var registration: EventLoop.Registration?
  private var interest = Readiness.readable

  init(_ transport: Transport, loop: EventLoop) {
    self.transport = transport
    self.loop = loop
  }

  /// Registers the descriptor with the loop. Throws only if the kernel is out of memory.
  func register(_ descriptor: Int32, _ handler: any EventLoop.Handler) throws(SystemError) {
    registration = try loop.register(descriptor, interest: interest, handler: handler)
  }

  func watch(forInput: Bool, forOutput: Bool) {
    let (input, output): (Readiness, Readiness) = (forInput ? .readable : .nothing, forOutput ? .writable : .nothing)
    watch(Readiness(rawValue: input.rawValue | output.rawValue))
  }

  private func watch(_ wanted: Readiness) {
    guard wanted.rawValue != interest.rawValue, let registration else { return }
    interest = wanted
    loop.update(registration, interest: wanted)
  }

  var isClosed: Bool { transport == nil }
  var remoteAddress: SocketAddress? { transport?.remoteAddress }
  /// True if TLS may hold decrypted bytes or the end of the stream, which epoll does not report.
  var hasHiddenInput: Bool { transport?.hasHiddenInput == true }
  /// Number of sent bytes that the client's kernel has not acknowledged; 0 if the kernel does not report it, or after
  /// `close`.
  var unacknowledgedBytes: Int { transport?.unacknowledgedBytes ?? 0 }

  /// Continues opening the transport as far as the socket allows, and makes the loop watch for the event that the
  /// transport needs next. Returns `failed` also after `close`.
  func open() -> Transport.Opening {
    let opening = transport?.open() ?? .failed
    switch opening {
    case .open: watch(.readable)
    case .waiting(let readiness): watch(readiness)
    case .failed: break
    }
    return opening
  }

  /// Reads what is available; see `Transport.receive`. Returns `failed` after `close`.
  func receive(into buffer: inout ByteBuffer, reserving bytes: Int) -> Socket.Transfer {
    transport?.receive(into: &buffer, reserving: bytes) ?? .failed(0)
  }

  /// Sends once, or twice if a large body follows. Returns false if the connection is lost or closed.
  func send(_ answers: Answers) -> Bool {
    guard let transport else { return false }
    return answers.send(over: transport)
  }

  func shutdownWrite() { transport?.shutdownWrite() }

  /// Makes closing send a TCP reset.
  func resetOnClose() { transport?.resetOnClose() }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    transport = nil
  }
}

/// Detects clients that do not read their responses, from the numbers of unsent and unacknowledged bytes.
///
/// Invariant: `isStalled` is true exactly while bytes are unsent after the last send, and the timeout restarts whenever
/// the client has read something.
final class WriteStall {
  /// True while the kernel accepts no more bytes, because the client reads slowly.
  private(set) var isStalled = false
  private var deadline = Instant(nanoseconds: 0)
  /// The smallest number of unacknowledged bytes that `isOver` was given since the last send with progress; `Int.max`
  /// before its first call.
  private var held = Int.max

  /// Records a send and its result. Restarts the timeout if bytes are left unsent, and the send made progress or is the
  /// first that left some.
  /// - Parameters:
  ///   - before: bytes unsent before it.
  ///   - left: bytes unsent after it.
  ///   - timeout: time for which the client may read nothing.
  /// - Returns: true if bytes were left unsent before, and none are now.
  func sent(_ before: Int, left: Int, at now: Instant, timeout: Duration) -> Bool {
    let wasStalled = isStalled
    isStalled = left > 0
    guard isStalled else { return wasStalled }
    guard !wasStalled || left < before else { return false }
    deadline = now + timeout
    held = .max
    return false
  }

  /// Checks the timeout. The kernel reports writability only when a third of its buffer is free, which can take a slow
  /// client long; a falling `held` shows sooner that the client reads.
  /// - Parameter held: sent bytes that the client's kernel has not acknowledged.
  /// - Returns: true if the client has read nothing for `timeout`.
  func isOver(held: Int, at now: Instant, timeout: Duration) -> Bool {
    guard held < self.held else { return now >= deadline }
    self.held = held
    deadline = now + timeout
    return false
  }
}
