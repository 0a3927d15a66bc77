import Reactor
import TLS

/// Both ends of a TLS connection over loopback TCP, driven by one thread.
struct Connected {
  let client: TLSStream
  let server: TLSStream

  enum Failure: Error {
    case client(TLSError)
    case server(TLSError)
    case stuck
  }

  /// Connects and shakes hands, or throws what the first side reports that fails.
  init(client clientContext: TLSContext, server serverContext: TLSContext, name: String = "localhost") throws {
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let outgoing = try Socket.connect(to: listener.localAddress!)
    var incoming = try listener.accept()
    while incoming == nil { incoming = try listener.accept() }
    client = try TLSStream(connecting: outgoing, context: clientContext, serverName: name)
    server = try TLSStream(accepted: incoming.take()!, context: serverContext)
    var clientIsDone = false
    var serverIsDone = false
    var rounds = 0
    while !(clientIsDone && serverIsDone), rounds < 1_000_000 {
      rounds += 1
      if !clientIsDone {
        switch client.handshake() {
        case .complete: clientIsDone = true
        case .incomplete: break
        case .failed(let error): throw Failure.client(error)
        }
      }
      if !serverIsDone {
        switch server.handshake() {
        case .complete: serverIsDone = true
        case .incomplete: break
        case .failed(let error):
          // The client's own words say more: let it read the alert first.
          if case .failed(let reason) = client.handshake() { throw Failure.client(reason) }
          throw Failure.server(error)
        }
      }
    }
    guard clientIsDone, serverIsDone else { throw Failure.stuck }
  }

  /// What handshaking fails with; nil when it works.
  static func failure(client: TLSContext, server: TLSContext, name: String = "localhost") throws -> String? {
    do {
      _ = try Connected(client: client, server: server, name: name)
      return nil
    } catch Failure.client(let error) {
      return error.description
    } catch Failure.server(let error) {
      return error.description
    }
  }
}
