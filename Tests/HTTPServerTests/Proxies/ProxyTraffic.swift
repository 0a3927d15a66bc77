import Glibc
import Reactor
import TestSupport

@testable import HTTPServer

/// Many clients at once, each with its own bytes on its own connection. Ends when the proxy has closed them all.
struct ProxyTraffic {
  private final class Client: EventLoop.Handler {
    var socket: Socket?
    var registration: EventLoop.Registration?
    var toSend: [UInt8]
    var sent = 0
    var received: [UInt8] = []
    let loop: EventLoop

    init(_ loop: EventLoop, _ address: SocketAddress, _ bytes: [UInt8]) throws {
      self.loop = loop
      toSend = bytes
      let made = try Socket.connect(to: address)
      let descriptor = made.descriptor
      socket = consume made
      registration = try loop.register(descriptor, interest: [.readable, .writable], handler: self)
    }

    var isDone: Bool { socket == nil }

    func ready(_ readiness: Readiness) {
      if sent < toSend.count, case .bytes(let count)? = socket?.send(toSend, from: sent) { sent += count }
      if sent == toSend.count, let registration { loop.update(registration, interest: .readable) }
      if readiness.overlaps(.readable) || readiness.overlaps(.failed) { receive() }
    }

    private func receive() {
      var buffer = ByteBuffer()
      switch socket?.receive(into: &buffer, room: 262_144) {
      case .bytes: received += buffer.withReadable { Array(copying: $0) }
      case .wouldBlock: break
      case .endOfStream, .failed, nil: close()
      }
    }

    func close() {
      if let registration { loop.deregister(registration) }
      registration = nil
      socket = nil
    }
  }

  /// Sends each of `requests` on a connection of its own, and waits until all are closed.
  /// - Returns: what came back on each; nil where the connection was still open at the end of patience.
  static func exchange(_ requests: [[UInt8]], with address: SocketAddress, timeout: Duration = .patience) throws
    -> [[UInt8]?]
  {
    let loop = try EventLoop()
    var clients: [Client] = []
    let start = loop.clock.now
    while loop.clock.now - start < timeout, clients.count < requests.count || clients.contains(where: { !$0.isDone }) {
      // A Unix socket refuses with EAGAIN those who do not fit into its queue: not all come at once, and who was refused
      // comes again.
      while clients.count < requests.count, clients.count(where: { !$0.isDone }) < 100 {
        do {
          clients.append(try Client(loop, address, requests[clients.count]))
        } catch let error as SystemError where error.code == EAGAIN {
          break
        }
      }
      loop.turn(atMost: .milliseconds(100))
    }
    defer { for client in clients { client.close() } }
    return requests.indices.map { $0 < clients.count && clients[$0].isDone ? clients[$0].received : nil }
  }
}
