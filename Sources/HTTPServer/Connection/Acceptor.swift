internal import Reactor

/// Accepts connections for its server. Pauses while the process has no free descriptors, the kernel no memory, or the
/// server no room, because a listening socket that stays readable would otherwise keep the loop busy.
final class Acceptor: EventLoop.Handler {
  private let loop: EventLoop
  private let hasRoom: () -> Bool
  private let take: (consuming Socket) -> Void
  private var listener: Socket?
  private var registration: EventLoop.Registration?
  private var isResting = false

  /// Starts to accept connections. Throws, closing the listener, if the loop cannot watch it.
  /// - Parameters:
  ///   - hasRoom: returns whether another connection can be accepted now; call `roomAppeared` when that becomes true.
  ///   - take: called with each accepted connection.
  init(
    loop: EventLoop, listener: consuming Socket, hasRoom: @escaping () -> Bool,
    take: @escaping (consuming Socket) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.hasRoom = hasRoom
    self.take = take
    let descriptor = listener.descriptor
    self.listener = consume listener
    registration = try loop.register(descriptor, interest: .readable, handler: self)
  }

  func ready(_ readiness: Readiness) {
    for _ in 0..<HTTPLimits.acceptsPerTurn {
      guard acceptOne() else { return }
    }
  }

  /// Makes the kernel ignore new connection attempts, then accepts all pending connections for which there is room.
  /// Handshakes in progress can still complete; they are accepted as usual until `close`. Called twice on shutdown,
  /// some time before `close` and immediately before it, because closing a listening socket resets its pending
  /// connections.
  func acceptLast() {
    listener?.ignoreNewConnections()
    while acceptOne() {}
  }

  /// Accepts one connection. Returns false if none is pending or the pending one was reset, or if none can be accepted
  /// now; in the latter case accepting also pauses.
  private func acceptOne() -> Bool {
    guard hasRoom() else {
      rest()
      return false
    }
    do throws(SystemError) {
      guard let socket = try accept() else { return false }
      take(socket)
      return true
    } catch {
      // Out of descriptors or memory: pending connections wait in the kernel's queue during the pause.
      rest()
      loop.schedule(after: HTTPLimits.acceptRest) { [weak self] in self?.roomAppeared() }
      return false
    }
  }

  private func accept() throws(SystemError) -> Socket? {
    try listener?.accept() ?? nil
  }

  private func rest() {
    guard let registration, !isResting else { return }
    isResting = true
    loop.update(registration, interest: .nothing)
  }

  /// Resumes accepting after a connection has closed or the pause is over. Does nothing if accepting is not paused, or
  /// the server still has no room.
  func roomAppeared() {
    guard isResting, let registration, hasRoom() else { return }
    isResting = false
    loop.update(registration, interest: .readable)
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    listener = nil
  }
}
