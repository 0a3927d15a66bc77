import HTTPClient
import Reactor
import TLS
import TestSupport
import Testing

/// The client over TLS: the certificate counts, and nothing leaves before it does.
@Suite struct SecureClientTests {
  /// Answers every request on every connection with 200 and its own bytes; on a thread of its own.
  private final class SecureServer {
    let port: UInt16
    let authorityPEM: String
    private let stopper: EventLoop.Stopper?
    private var thread: Thread?

    init(names: [String] = ["127.0.0.1"]) throws {
      let authority = try CertificateAuthority()
      authorityPEM = authority.certificatePEM
      let context = try TLSContext.server(
        identity: authority.issueServer(names: names), protocols: ["http/1.1"])
      let socket = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
      guard let address = socket.localAddress else { throw SystemError(code: 99, operation: "bind", subject: "") }
      port = address.port
      let descriptor = socket.release()
      let stoppers = try Inbox<EventLoop.Stopper>(capacity: 1)
      thread = try Thread(name: "secure") {
        guard let loop = try? EventLoop() else { return }
        let acceptor = Acceptor(Socket(owning: descriptor), context, loop)
        _ = stoppers.offer(loop.stopper)
        withExtendedLifetime(acceptor) { loop.run() }
      }
      stopper = stoppers.receive(atMost: .patience).first
    }

    deinit {
      stopper?.stop()
      thread.take()?.join()
    }
  }

  private final class Acceptor: EventLoop.Handler {
    private let socket: Socket
    private let context: TLSContext
    private let loop: EventLoop
    private var registration: EventLoop.Registration?
    private var peers: [Peer] = []

    init(_ socket: consuming Socket, _ context: TLSContext, _ loop: EventLoop) {
      self.context = context
      self.loop = loop
      self.socket = socket
      registration = try? loop.register(self.socket.descriptor, interest: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      while let accepted = try? socket.accept() {
        guard let stream = try? TLSStream(accepted: accepted, context: context) else { continue }
        peers.append(Peer(stream, loop))
      }
    }
  }

  private final class Peer: EventLoop.Handler {
    private let stream: TLSStream
    private var isOpen = false
    private var input = ByteBuffer()
    private var output = ByteBuffer()

    init(_ stream: TLSStream, _ loop: EventLoop) {
      self.stream = stream
      _ = try? loop.register(stream.descriptor, interest: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      if !isOpen {
        guard case .complete = stream.handshake() else { return }
        isOpen = true
      }
      _ = stream.read(into: &input)
      guard !input.isEmpty else { return }
      output.append("HTTP/1.1 200 OK\r\nContent-Length: ")
      output.append(decimal: input.count)
      output.append("\r\n\r\n")
      input.withReadable { output.append($0) }
      input.removeAll()
      _ = stream.write(&output)
    }
  }

  private func client(_ server: SecureServer, trusting pem: String, name: String) throws -> HTTPClient.Blocking {
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .patience
    configuration.security = HTTPClientSecurity(
      context: try TLSContext.client(
        trust: TLSContext.Trust(systemAuthorities: false, pems: [pem]), protocols: ["http/1.1"]),
      serverName: name)
    return try HTTPClient.Blocking(
      HTTPOrigin(host: "127.0.0.1", port: server.port), configuration: configuration)
  }

  @Test func `requests and answers travel over one secured connection`() throws {
    let server = try SecureServer()
    let client = try client(server, trusting: server.authorityPEM, name: "127.0.0.1")
    for number in 0..<3 {
      let answer = try client.send(HTTPRequest("POST", "/token", body: Array("number=\(number)".utf8)))
      #expect(answer.status == 200 && answer.text.hasSuffix("number=\(number)"), "\(answer.text)")
      #expect(answer.text.hasPrefix("POST /token HTTP/1.1"))
    }
  }

  @Test func `a server that cannot prove its name gets nothing`() throws {
    let server = try SecureServer(names: ["elsewhere.example"])
    let client = try client(server, trusting: server.authorityPEM, name: "127.0.0.1")
    guard
      case .failure(.unreachable(let reason)) = Result(catching: { () throws(HTTPClientError) in
        try client.send(HTTPRequest("POST", "/token", body: Array("secret".utf8)))
      })
    else { return #expect(Bool(false), "it was believed") }
    #expect(!reason.isEmpty)
  }

  @Test func `an unknown authority is not believed`() throws {
    let server = try SecureServer()
    let client = try client(server, trusting: CertificateAuthority().certificatePEM, name: "127.0.0.1")
    #expect(throws: HTTPClientError.self) { try client.send(HTTPRequest("GET", "/")) }
  }
}
