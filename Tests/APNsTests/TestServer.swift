import HTTP2
import Reactor
import Synchronization
import TLS
import TestSupport

/// A small APNs on a port of its own: real TLS and HTTP/2, with answers from a script. Runs on its own thread.
final class TestServer: Sendable {
  /// What a request was, as the script sees it.
  struct Request: Sendable {
    /// Counts from 0 in the order of acceptance.
    let connection: Int
    /// Counts from 0 on its connection.
    let index: Int
    let fields: [String: String]
    let body: [UInt8]
    let clientCertificate: CertificateInfo?
    /// Requests open on its connection when it arrived, itself included.
    let open: Int

    var token: String { String(fields[":path"]?.dropFirst("/3/device/".count) ?? "") }
  }

  enum Reply: Sendable {
    case accept
    case refuse(status: Int, body: String)
    /// Answers with the server's time.
    case dated(status: Int, body: String, date: String)
    /// Answers 200 when the test calls `release`.
    case hold
    case reset(ErrorCode)
    case never
    /// GOAWAY that includes this request or ends `before` it; requests included stay unanswered until `accept` of others.
    case goAway(lastStreamOffset: Int32, debug: String)
    /// Closes the TCP connection.
    case drop
    /// Changes the stream limit first, then answers.
    case limit(UInt32, refused: String?)
  }

  struct Settings: Sendable {
    var firstLimit: UInt32 = 1000
    /// After the first accepted request.
    var provenLimit: UInt32?
    var asksForCertificate = false
    /// Certificates must come from this authority, or the handshake fails.
    var clientAuthorityPEM: String?
    var acknowledgesPings = true
  }

  private struct Record {
    var requests: [Request] = []
    var connections = 0
    var mostOpen: [Int] = []
    var answered: [String: Int] = [:]
  }

  /// Written by the server's thread, read by the test.
  private final class Recorder: Sendable {
    let record = Mutex(Record())
  }

  let port: UInt16
  /// What a client must trust.
  let authorityPEM: String
  private let recorder = Recorder()
  private let stopper: EventLoop.Stopper
  private let releases: Inbox<Void>

  /// Requests in the order they arrived.
  var requests: [Request] { recorder.record.withLock { $0.requests } }
  var connections: Int { recorder.record.withLock { $0.connections } }
  /// How often the push to a token was answered with 200.
  var answered: [String: Int] { recorder.record.withLock { $0.answered } }
  /// The most requests open at once, for each connection.
  var mostOpen: [Int] { recorder.record.withLock { $0.mostOpen } }

  init(
    settings: Settings = Settings(), authority: CertificateAuthority = try! CertificateAuthority(),
    script: @escaping @Sendable (Request) -> Reply = { _ in .accept }
  ) throws {
    authorityPEM = authority.certificatePEM
    let context = try TLSContext.server(
      identity: authority.issueServer(), clientCertificates: settings.clientCertificates)
    let releases = try Inbox<Void>(capacity: 1000)
    self.releases = releases
    let started = try Inbox<(UInt16, EventLoop.Stopper)>(capacity: 1)
    let recorder = recorder
    _ = try Thread(name: "test-apns") {
      do {
        let loop = try EventLoop()
        let listener = try Listener(loop: loop, context: context, settings: settings, script: script) { body in
          recorder.record.withLock { body(&$0) }
        }
        try loop.attach(releases) { _ in listener.release() }
        _ = started.offer((listener.port, loop.stopper))
        loop.run()
      } catch {
        started.close()
      }
    }
    guard let (port, stopper) = started.receive(atMost: .patience).first else {
      throw HTTP2Error(operation: "test server", reason: "did not start")
    }
    self.port = port
    self.stopper = stopper
  }

  func stop() {
    stopper.stop()
  }

  /// Answers all requests on hold.
  func release() {
    _ = releases.offer(())
  }

  // MARK: On the server's thread

  private typealias Note = ((inout Record) -> Void) -> Void

  private final class Listener: EventLoop.Handler {
    let loop: EventLoop
    let context: TLSContext
    let settings: Settings
    let script: @Sendable (Request) -> Reply
    let note: Note
    let socket: Socket
    var port: UInt16 { socket.localAddress!.port }
    private var accepted = 0
    private var peers: [Peer] = []

    init(
      loop: EventLoop, context: TLSContext, settings: Settings, script: @escaping @Sendable (Request) -> Reply,
      note: @escaping Note
    ) throws {
      self.loop = loop
      self.context = context
      self.settings = settings
      self.script = script
      self.note = note
      socket = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
      _ = try loop.register(socket.descriptor, interest: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      while let accepted = try? socket.accept() {
        accepted.disableDelay()
        note {
          $0.connections += 1
          $0.mostOpen.append(0)
        }
        if let peer = try? Peer(self, number: self.accepted, socket: accepted) {
          peers.append(peer)
          peer.ready(.readable)
        }
        self.accepted += 1
      }
    }

    func release() {
      for peer in peers { peer.release() }
    }

    /// Its connection closes with it.
    func forget(_ peer: Peer) {
      peers.removeAll { $0 === peer }
    }
  }

  private final class Peer: EventLoop.Handler {
    unowned let listener: Listener
    let number: Int
    let stream: TLSStream
    let session: ServerSession
    var registration: EventLoop.Registration?
    var input = ByteBuffer()
    var output = ByteBuffer()
    var isOpen = false
    var requests = 0
    var isProven = false
    var waiting: [ServerStream] = []
    var held: [ServerStream] = []
    /// What GOAWAY has said: streams above are none of ours.
    var lastStreamID = Int32.max

    init(_ listener: Listener, number: Int, socket: consuming Socket) throws {
      self.listener = listener
      self.number = number
      stream = try TLSStream(accepted: socket, context: listener.context)
      var configuration = ServerSession.Configuration()
      configuration.acknowledgesPings = listener.settings.acknowledgesPings
      session = try ServerSession(configuration: configuration)
      try session.submitSettings([.maxConcurrentStreams(listener.settings.firstLimit), .initialWindowSize(65_535)])
      registration = try listener.loop.register(stream.descriptor, interest: .readable, handler: self)
    }

    func ready(_ readiness: Readiness) {
      guard registration != nil else { return }
      if !isOpen {
        switch stream.handshake() {
        case .complete: isOpen = true
        case .incomplete(let until): return listener.loop.update(registration!, interest: until)
        case .failed: return close()
        }
      }
      let result = stream.read(into: &input)
      do {
        try session.receive(&input)
        while let event = session.nextEvent() {
          switch event {
          case .request(let stream): answer(stream)
          case .opened:
            let open = session.openStreams
            listener.note { $0.mostOpen[self.number] = max($0.mostOpen[self.number], open) }
          default: break
          }
        }
        try flush()
      } catch {
        return close()
      }
      switch result {
      case .endOfStream, .failed: close()
      default: break
      }
    }

    func flush() throws {
      guard registration != nil else { return }
      try session.writeOutput(into: &output, softLimit: .max)
      switch stream.write(&output) {
      case .complete: listener.loop.update(registration!, interest: .readable)
      case .wouldBlock(let until): listener.loop.update(registration!, interest: [.readable, until])
      case .failed: close()
      }
      if session.isFinished { close() }
    }

    func answer(_ stream: ServerStream) {
      guard registration != nil, stream.id <= lastStreamID else { return }
      var fields: [String: String] = [:]
      for index in 0..<stream.fieldCount {
        let field = stream.field(at: index)
        fields[field.name] = field.value
      }
      let request = Request(
        connection: number, index: requests, fields: fields,
        body: stream.withBody { body in body.indices.map { body[$0] } }, clientCertificate: self.stream.peerCertificate,
        open: session.openStreams)
      requests += 1
      listener.note { $0.requests.append(request) }
      let reply = listener.script(request)
      switch reply {
      case .accept, .goAway, .limit(_, refused: nil): listener.note { $0.answered[request.token, default: 0] += 1 }
      default: break
      }
      self.reply(reply, to: stream, id: fields["apns-id"] ?? "")
    }

    func reply(_ reply: Reply, to stream: ServerStream, id: String) {
      switch reply {
      case .accept:
        if let limit = listener.settings.provenLimit, !isProven {
          isProven = true
          try? session.submitSettings([.maxConcurrentStreams(limit)])
        }
        let bytes = Array(id.utf8)
        session.respond(to: stream, status: 200, name: "apns-id", value: bytes.span)
      case .refuse(let status, let body):
        session.respond(to: stream, status: status, fields: [HeaderField("apns-id", id)], body: Array(body.utf8))
      case .dated(let status, let body, let date):
        session.respond(to: stream, status: status, fields: [HeaderField("date", date)], body: Array(body.utf8))
      case .hold: held.append(stream)
      case .reset(let code): session.reset(stream, code)
      case .never: waiting.append(stream)
      case .goAway(let offset, let debug):
        lastStreamID = max(0, stream.id + offset)
        try? session.goAway(lastStreamID: lastStreamID, .noError, debugData: Array(debug.utf8))
        if offset >= 0 { session.respond(to: stream, status: 200) }
        for stream in waiting where !stream.isClosed { session.respond(to: stream, status: 200) }
      case .drop: close()
      case .limit(let limit, let reason):
        try? session.submitSettings([.maxConcurrentStreams(limit)])
        if let reason {
          session.respond(to: stream, status: 400, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
        } else {
          session.respond(to: stream, status: 200)
        }
      }
    }

    func release() {
      guard registration != nil else { return }
      for stream in held where !stream.isClosed { session.respond(to: stream, status: 200) }
      held = []
      try? flush()
    }

    func close() {
      guard let registration else { return }
      listener.loop.deregister(registration)
      self.registration = nil
      stream.resetOnClose()
      listener.forget(self)
    }
  }
}

extension TestServer.Settings {
  fileprivate var clientCertificates: TLSContext.ClientCertificates {
    if let clientAuthorityPEM {
      return .requested(TLSContext.Trust(systemAuthorities: false, pems: [clientAuthorityPEM]))
    }
    return asksForCertificate ? .requestedAny : .ignored
  }
}
