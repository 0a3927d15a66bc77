import Reactor
import Synchronization
import TestSupport

@testable import HTTPServer

/// A server on a thread of its own that remembers every request it was given, for clients and proxies in other
/// processes. It answers with the body that it got.
final class BackgroundServer: Sendable {
  struct Seen: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let bodyBytes: Int
    let remoteAddress: String
    let clientAddress: String?
    /// Connections that had been accepted by then.
    let connections: UInt64

    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
  }

  /// What the thread and the test share.
  private final class Record: Sendable {
    let seen = Mutex<[Seen]>([])
  }

  private let record = Record()
  private let server: ServerThread

  init(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) throws {
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 64 << 20
    change(&configuration)
    let record = record
    server = try ServerThread(
      "background", configuration: configuration, started: { ($0.handler as? Recorder)?.server = $0 }
    ) { Recorder(record) }
  }

  var address: SocketAddress { server.address }

  var seen: [Seen] { record.seen.withLock { $0 } }

  private final class Recorder: RequestHandler {
    private let record: Record
    weak var server: HTTPServer?

    init(_ record: Record) { self.record = record }

    func handle(_ request: Request, _ responder: Responder) {
      let target = request.query.isEmpty ? request.path : request.path + "?" + request.query
      let seen = Seen(
        method: request.methodName, target: target, headers: request.headers, bodyBytes: request.bodyCount,
        remoteAddress: request.remoteAddress.description, clientAddress: request.clientAddress?.description,
        connections: server?.counters.accepted ?? 0)
      record.seen.withLock { $0.append(seen) }
      responder.send(Response(status: .ok, body: request.withBody { Array(copying: $0) }))
    }
  }
}
