import Reactor

/// A server that answers as a test tells it to, byte for byte, on the loop of the client under test.
final class RawServer: EventLoop.Handler {
  /// What a connection does when bytes have come. It is given all of them so far.
  typealias Script = (Peer) -> Void

  final class Peer: EventLoop.Handler {
    let number: Int
    private(set) var received: [UInt8] = []
    private var socket: Socket?
    private let loop: EventLoop
    private var registration: EventLoop.Registration?
    private let script: Script

    fileprivate init(_ socket: consuming Socket, number: Int, loop: EventLoop, script: @escaping Script) throws {
      self.number = number
      self.loop = loop
      self.script = script
      let descriptor = socket.descriptor
      self.socket = consume socket
      registration = try loop.register(descriptor, interest: .readable, handler: self)
    }

    var isClosed: Bool { registration == nil }
    var text: String { String(decoding: received, as: UTF8.self) }
    /// How many whole requests without body have come.
    var requests: Int { text.components(separatedBy: "\r\n\r\n") - 1 }

    func ready(_ readiness: Readiness) {
      var piece = [UInt8](repeating: 0, count: 65_536)
      switch piece.withUnsafeMutableBytes({ socket?.receive(into: $0) }) {
      case .bytes(let count):
        received += piece.prefix(count)
        script(self)
      case .wouldBlock: break
      default: close()
      }
    }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = bytes.withUnsafeBytes { socket?.send($0) }
    }

    func forget() { received = [] }

    func close() {
      if let registration { loop.deregister(registration) }
      registration = nil
      socket = nil
    }

    func reset() {
      socket?.resetOnClose()
      close()
    }
  }

  let address: SocketAddress
  private(set) var peers: [Peer] = []
  private let loop: EventLoop
  private var listener: Socket?
  private var registration: EventLoop.Registration?
  private let script: Script

  init(loop: EventLoop, _ script: @escaping Script) throws {
    self.loop = loop
    self.script = script
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    guard let address = listener.localAddress else { throw SystemError.last("getsockname") }
    self.address = address
    let descriptor = listener.descriptor
    self.listener = consume listener
    registration = try loop.register(descriptor, interest: .readable, handler: self)
  }

  func ready(_ readiness: Readiness) {
    while let accepted = accept() {
      guard let peer = try? Peer(accepted, number: peers.count + 1, loop: loop, script: script) else { return }
      peers.append(peer)
    }
  }

  private func accept() -> Socket? {
    (try? listener?.accept()) ?? nil
  }

  func stop() {
    for peer in peers { peer.close() }
    if let registration { loop.deregister(registration) }
    registration = nil
    listener = nil
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> Int {
    var count = 1
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
