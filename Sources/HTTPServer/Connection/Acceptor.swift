internal import Reactor

/// Accepts connections for its server. Pauses while the process is out of descriptors or the server is full, so that a
/// listening socket that stays readable does not make the loop spin.
final class Acceptor: EventLoop.Handler {
  private let loop: EventLoop
  private let hasRoom: () -> Bool
  private let take: (consuming Socket) -> Void
  private var listener: Socket?
  private var registration: EventLoop.Registration?
  private var isResting = false

  /// - Parameters:
  ///   - hasRoom: whether one more connection can be taken now; call `roomAppeared` when that changes.
  ///   - take: receives each connection.
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

  /// Accepts every pending connection, handshakes in progress included; later ones get no answer. Used on shutdown,
  /// because closing a listening socket resets the connections that wait in it.
  func acceptLast() {
    listener?.ignoreNewConnections()
    while acceptOne() {}
  }

  /// Returns false when no connection waits, or none can be taken now.
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
      // Out of descriptors or memory: pending connections stay in the kernel's queue until there is room again.
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

  /// A connection has closed, or the pause is over.
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
