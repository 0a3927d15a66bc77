package import HTTPServer
package import Reactor
import Synchronization
package import TLS

/// An HTTP server on this machine, on a thread of its own. It ends with `stop`, or with this object.
package final class ServerThread: Sendable {
  package let address: SocketAddress
  private let stopper: EventLoop.Stopper
  private let thread: Mutex<Thread?>

  /// - Parameters:
  ///   - name: the thread's name.
  ///   - port: 0 for any; that of an earlier server to take its place.
  ///   - tls: nil for plain HTTP.
  ///   - started: called on the thread before the first request.
  ///   - makeHandler: called on the thread.
  package init(
    _ name: String, port: UInt16 = 0, configuration: HTTPServer.Configuration = HTTPServer.Configuration(),
    tls: TLSContext? = nil, started: @escaping @Sendable (HTTPServer) -> Void = { _ in },
    _ makeHandler: @escaping @Sendable () -> any RequestHandler
  ) throws {
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: port)[0])
    guard let address = listener.localAddress else { throw SystemError.last("getsockname") }
    let descriptor = listener.release()
    let starts = try Inbox<Result<EventLoop.Stopper, any Error>>(capacity: 1)
    let thread = try Thread(name: name) {
      do {
        let loop = try EventLoop()
        let server = try HTTPServer(
          loop: loop, listener: Socket(owning: descriptor), configuration: configuration, tls: tls,
          handler: makeHandler())
        started(server)
        _ = starts.offer(.success(loop.stopper))
        loop.run()
        server.close()
      } catch {
        _ = starts.offer(.failure(error))
      }
    }
    guard let start = starts.receive(atMost: .patience).first else { throw WaitedInVain("\(name) did not start") }
    self.address = address
    stopper = try start.get()
    self.thread = Mutex(thread)
  }

  deinit { stopper.stop() }

  package var port: UInt16 { address.port }

  /// Returns when the server no longer listens.
  package func stop() {
    stopper.stop()
    Thread.joinOnce(thread)
  }
}
