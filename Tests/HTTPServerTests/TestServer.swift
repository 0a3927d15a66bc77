import Glibc
import Reactor
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// A server with a clock that stands still, and the loop turned by the test itself.
final class TestServer {
  let clock = ManualClock()
  let loop: EventLoop
  let handler: ClosureHandler
  let server: HTTPServer
  let address: SocketAddress

  /// - Parameter port: 0 for any, which is anybody's again once the server does not listen any more.
  init(
    configuration: HTTPServer.Configuration = HTTPServer.Configuration(),
    tls: TLSContext? = nil,
    bodyLimit: Int? = nil,
    port: UInt16 = 0,
    _ handle: @escaping (Request, Responder) -> Void = TestServer.echo
  ) throws {
    loop = try EventLoop(clock: clock)
    handler = ClosureHandler(bodyLimit: bodyLimit, handle)
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: port)[0])
    guard let bound = listener.localAddress else { throw SystemError.last("getsockname") }
    address = bound
    server = try HTTPServer(loop: loop, listener: listener, configuration: configuration, tls: tls, handler: handler)
  }

  deinit {
    server.close()
  }

  /// Answers with what was asked: method, path and body.
  static func echo(_ request: Request, _ responder: Responder) {
    let body = request.withBody { Array(copying: $0) }
    responder.send(
      Response(status: .ok, contentType: "text/plain", body: "\(request.methodName) \(request.path) ")
        .appending(body))
  }

  func connect(receiveBufferBytes: Int32? = nil) throws -> Peer {
    try Peer(server: self, address: address, receiveBufferBytes: receiveBufferBytes)
  }

  /// Turns the loop until nothing is left to do at once.
  func turn(_ times: Int = 4) {
    for _ in 0..<times { loop.turn(atMost: .zero) }
  }

  /// Lets time pass, second by second, as the server's own sweep does.
  func advance(seconds: Int) {
    for _ in 0..<seconds {
      clock.advance(by: .seconds(1))
      turn(2)
    }
  }
}

final class ClosureHandler: RequestHandler {
  private let closure: (Request, Responder) -> Void
  private let limit: Int?

  init(bodyLimit: Int?, _ closure: @escaping (Request, Responder) -> Void) {
    limit = bodyLimit
    self.closure = closure
  }

  func handle(_ request: Request, _ responder: Responder) {
    closure(request, responder)
  }

  /// Bodies that wait for leave.
  private(set) var held: [ResponseTicket] = []

  func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    guard request.pathEquals("/held") else { return false }
    held.append(ticket)
    return true
  }

  func bodyLimit(for request: Request, standard: Int) -> Int { limit ?? standard }

  func spoolsBody(of request: Request) -> Bool { limit != nil }
}

/// A client that sends raw bytes and reads raw bytes, turning the server's loop while it waits.
final class Peer {
  private let server: TestServer
  private var socket: Socket?
  /// What has been received and not been taken yet.
  var received: [UInt8] = []
  /// True once the server has closed, or reset, the connection.
  private(set) var isClosed = false
  private(set) var wasReset = false

  /// - Parameter isQuiet: whether the server is left as it is, and learns of the connection at its next turn.
  init(server: TestServer, address: SocketAddress, receiveBufferBytes: Int32? = nil, isQuiet: Bool = false) throws {
    self.server = server
    let socket = try Socket.connect(to: address)
    if var bytes = receiveBufferBytes {
      setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    self.socket = consume socket
    if !isQuiet { server.turn() }
  }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Sends all, turning the server when the kernel takes no more.
  func send(_ bytes: [UInt8]) {
    var (start, turns) = (0, 0)
    while start < bytes.count, turns < 100_000 {
      turns += 1
      let transfer = bytes.withUnsafeBytes { socket?.send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      switch transfer {
      case .bytes(let count): start += count
      case .wouldBlock: server.turn(1)
      default: return
      }
    }
  }

  func send(_ text: String) {
    send(Array(text.utf8))
  }

  /// Reads what is there, at most so many times 64 KiB.
  func receive(pieces: Int = 1_000) {
    for _ in 0..<pieces where !isClosed {
      var piece = [UInt8](repeating: 0, count: 65_536)
      switch piece.withUnsafeMutableBytes({ socket?.receive(into: $0) }) {
      case .bytes(let count): received += piece.prefix(count)
      case .wouldBlock: return
      case .failed:
        isClosed = true
        wasReset = true
      default: isClosed = true
      }
    }
  }

  /// Turns the server and reads until `condition` holds. Returns false if it does not hold within `.patience`.
  @discardableResult
  func wait(until condition: () -> Bool) -> Bool {
    server.loop.turns {
      receive()
      return condition()
    }
  }

  @discardableResult
  func waitForClose() -> Bool { wait { isClosed } }

  /// Sends a request and takes one answer.
  func exchange(_ text: String) throws -> Answer {
    send(text)
    return try takeAnswer()
  }

  /// Takes one answer off the front of what is received.
  func takeAnswer(toHead: Bool = false) throws -> Answer {
    var answer: Answer?
    wait {
      answer = Answer(parsing: &received, toHead: toHead, isEnded: isClosed)
      return answer != nil || isClosed
    }
    if answer == nil { answer = Answer(parsing: &received, toHead: toHead, isEnded: isClosed) }
    return try #require(answer, "no answer in: \(text)")
  }

  /// Shuts the sending side: half-closed.
  func finish() {
    socket?.shutdownWrite()
  }

  func close() {
    socket = nil
    isClosed = true
  }

  func reset() {
    socket?.resetOnClose()
    close()
  }
}

extension Response {
  func appending(_ bytes: [UInt8]) -> Response {
    var copy = self
    copy.body += bytes
    return copy
  }
}
