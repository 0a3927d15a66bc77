internal import Reactor

/// Takes connections from the kernel for its server. Rests while the process is out of descriptors or the server is
/// full, so that a listening socket that stays readable does not make the loop spin.
final class Acceptor: EventLoop.Handler {
  private unowned let server: HTTPServer
  private var listener: Socket?
  private var registration: EventLoop.Registration?
  private var isResting = false

  init(server: HTTPServer, listener: consuming Socket) throws(SystemError) {
    self.server = server
    let descriptor = listener.descriptor
    self.listener = consume listener
    registration = try server.loop.register(descriptor, interest: .readable, handler: self)
  }

  func ready(_ readiness: Readiness) {
    for _ in 0..<HTTPServer.Limits.acceptsPerTurn {
      guard acceptOne() else { return }
    }
  }

  /// Accepts everything that waits: for the end.
  func acceptAll() {
    while acceptOne() {}
  }

  /// False when nobody waits, or nobody can be taken now.
  private func acceptOne() -> Bool {
    guard server.hasRoomToAccept else {
      rest()
      return false
    }
    do throws(SystemError) {
      guard let socket = try accept() else { return false }
      server.accepted(socket)
      return true
    } catch {
      // Out of descriptors or memory: those who wait stay in the kernel's queue until there is room again.
      rest()
      server.loop.schedule(after: HTTPServer.Limits.acceptRest) { [weak self] in self?.roomAppeared() }
      return false
    }
  }

  private func accept() throws(SystemError) -> Socket? {
    try listener?.accept() ?? nil
  }

  private func rest() {
    guard let registration, !isResting else { return }
    isResting = true
    server.loop.update(registration, interest: .nothing)
  }

  /// A connection has closed, or the rest is over.
  func roomAppeared() {
    guard isResting, let registration, server.hasRoomToAccept else { return }
    isResting = false
    server.loop.update(registration, interest: .readable)
  }

  func close() {
    if let registration { server.loop.deregister(registration) }
    registration = nil
    listener = nil
  }
}
