import HTTPServer
import Reactor
import TLS
import TestSupport
import Testing

/// An HTTP server on this machine, on a thread of its own, which ends with this object.
final class ServerThread: Sendable {
  let port: UInt16
  private let stopper: EventLoop.Stopper

  /// - Parameters:
  ///   - name: the thread's name.
  ///   - tls: nil for plain HTTP.
  ///   - makeHandler: called on the thread.
  init(_ name: String, tls: TLSContext? = nil, _ makeHandler: @escaping @Sendable () -> any RequestHandler) throws {
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    port = listener.localAddress?.port ?? 0
    let descriptor = listener.release()
    let ready = try Inbox<EventLoop.Stopper>(capacity: 1)
    _ = try Thread(name: name) {
      do {
        let loop = try EventLoop()
        let server = try HTTPServer(
          loop: loop, listener: Socket(owning: descriptor), configuration: HTTPServer.Configuration(), tls: tls,
          handler: makeHandler())
        _ = ready.offer(loop.stopper)
        loop.run()
        server.close()
      } catch {
        Issue.record(error)
      }
    }
    stopper = try #require(ready.receive(atMost: .patience).first)
  }

  deinit { stopper.stop() }
}
