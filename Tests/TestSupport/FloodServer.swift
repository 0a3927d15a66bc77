package import Reactor
import Synchronization

/// A hostile server: sends the same bytes to every client as fast as they are read, on its own thread. It stops after a
/// number of bytes or twenty minutes, so a client that never gives up fails a test instead of hanging it.
package final class FloodServer: Sendable {
  /// Seconds after which it gives up by itself: far longer than what is tested takes.
  private static let seconds: Int64 = 1_200

  private struct State {
    var sentBytes = 0
    var connections = 0
    var isOver = false
    var wasCutOff = false
  }

  private final class Record: Sendable {
    let state = Mutex(State())
  }

  package let address: SocketAddress
  private let record = Record()
  private let stopper: EventLoop.Stopper

  /// - Parameters:
  ///   - opening: sent first on each connection.
  ///   - piece: sent repeatedly.
  ///   - most: bytes after which it goes silent.
  package init(opening: [UInt8] = [], piece: [UInt8], most: Int = .max) throws {
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    guard let address = listener.localAddress else { throw SystemError.last("getsockname") }
    self.address = address
    let descriptor = listener.release()
    let stoppers = try Inbox<EventLoop.Stopper>(capacity: 1)
    let record = record
    _ = try Thread(name: "flood") {
      guard let loop = try? EventLoop() else { return }
      let acceptor = Acceptor(Socket(owning: descriptor), loop) { socket in
        record.state.withLock { $0.connections += 1 }
        return Peer(socket, loop, opening: opening, piece: piece, most: most) { sent, wasCutOff in
          record.state.withLock { state in
            state.sentBytes += sent
            if wasCutOff { state.wasCutOff = true }
          }
        }
      }
      loop.schedule(after: .seconds(Self.seconds)) { loop.stop() }
      _ = stoppers.offer(loop.stopper)
      withExtendedLifetime(acceptor) { loop.run() }
      acceptor.close()
      record.state.withLock { $0.isOver = true }
    }
    guard let stopper = stoppers.receive(atMost: .patience).first else { throw SystemError.last("flood") }
    self.stopper = stopper
  }

  deinit {
    stopper.stop()
  }

  package var connections: Int { record.state.withLock { $0.connections } }
  /// Bytes the kernel has accepted.
  package var sentBytes: Int { record.state.withLock { $0.sentBytes } }
  /// It has given up by itself.
  package var isOver: Bool { record.state.withLock { $0.isOver } }
  /// A client has closed while it was being flooded.
  package var wasCutOff: Bool { record.state.withLock { $0.wasCutOff } }

  package func stop() {
    stopper.stop()
  }

  // MARK: On the flood's thread

  private final class Acceptor: EventLoop.Handler {
    private let socket: Socket
    private let make: (consuming Socket) -> Peer
    private var peers: [Peer] = []

    init(_ socket: consuming Socket, _ loop: EventLoop, _ make: @escaping (consuming Socket) -> Peer) {
      self.make = make
      self.socket = socket
      _ = try? loop.register(self.socket.descriptor, interest: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      while let accepted = accept() { peers.append(make(accepted)) }
    }

    private func accept() -> Socket? { (try? socket.accept()) ?? nil }

    func close() {
      for peer in peers { peer.close() }
    }
  }

  private final class Peer: EventLoop.Handler {
    private var socket: Socket?
    private let loop: EventLoop
    private var registration: EventLoop.Registration?
    private let piece: [UInt8]
    private var output = ByteBuffer()
    private var left: Int
    private let note: (_ sent: Int, _ wasCutOff: Bool) -> Void

    init(
      _ socket: consuming Socket, _ loop: EventLoop, opening: [UInt8], piece: [UInt8], most: Int,
      note: @escaping (_ sent: Int, _ wasCutOff: Bool) -> Void
    ) {
      self.loop = loop
      self.piece = piece
      self.note = note
      left = most
      output.append(opening)
      let descriptor = socket.descriptor
      self.socket = consume socket
      registration = try? loop.register(descriptor, interest: .writable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      // A bounded share of each turn, so that it can be stopped.
      for _ in 0..<64 {
        while output.count < 65_536, left > 0, !piece.isEmpty {
          output.append(piece)
          left -= piece.count
        }
        guard !output.isEmpty else { return watch(.nothing) }
        switch socket?.send(output) {
        case .bytes(let count):
          output.consume(count)
          note(count, false)
        case .wouldBlock: return
        default:
          note(0, true)
          return close()
        }
      }
    }

    private func watch(_ readiness: Readiness) {
      if let registration { loop.update(registration, interest: readiness) }
    }

    func close() {
      if let registration { loop.deregister(registration) }
      registration = nil
      socket = nil
    }
  }
}
