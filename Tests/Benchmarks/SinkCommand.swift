internal import ArgumentParser
internal import FoundationEssentials
internal import HTTP2
internal import Reactor
internal import TLS

/// Helper of P1: an HTTP/2 server over TLS that accepts every push without checking it.
struct SinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sink", abstract: "Accept pushes over TLS and HTTP/2 (a helper of P1).", shouldDisplay: false)

  @Option(help: "Port on the loopback address.")
  var port: UInt16

  @Option(help: "Where to write the certificate authority that clients must trust, in PEM.")
  var authority: String

  @Option(help: "Streams that each connection may have open.")
  var streams: UInt32 = 1000

  func run() throws {
    Signals.block()
    let authority = try CertificateAuthority(commonName: "UPMC benchmark")
    try authority.certificatePEM.write(toFile: self.authority, atomically: true, encoding: .utf8)
    let context = try TLSContext.server(identity: try authority.issueServer())
    let (port, streams) = (port, streams)
    _ = try Thread(name: "sink-0") {
      do {
        let sink = try Sink(port: port, context: context, streams: streams)
        sink.run()
      } catch {
        StandardStreams.printError("\(error)")
      }
    }
    _ = Signals.wait()
  }
}

/// The sink's listener.
private final class Sink: EventLoop.Handler {
  let loop: EventLoop
  private let listener: Socket
  private let context: TLSContext
  private let streams: UInt32

  init(port: UInt16, context: TLSContext, streams: UInt32) throws {
    loop = try EventLoop()
    listener = try Loopback.listen(on: port)
    self.context = context
    self.streams = streams
    _ = try loop.register(listener.descriptor, interest: .readable, handler: self)
  }

  func run() {
    loop.run()
  }

  func ready(_ readiness: Readiness) {
    while let socket = try? listener.accept() {
      socket.disableDelay()
      _ = try? SinkConnection(socket: socket, context: context, streams: streams, loop: loop)
    }
  }
}

/// A client connection of the sink. Retained by its registration with the loop.
private final class SinkConnection: EventLoop.Handler {
  private let loop: EventLoop
  private let stream: TLSStream
  private let session: ServerSession
  private var registration: EventLoop.Registration?
  private var input = ByteBuffer(capacity: 65_536)
  private var output = ByteBuffer(capacity: 65_536)
  private var isSecure = false

  init(socket: consuming Socket, context: TLSContext, streams: UInt32, loop: EventLoop) throws {
    self.loop = loop
    stream = try TLSStream(accepted: socket, context: context)
    var configuration = ServerSession.Configuration()
    configuration.connectionWindow = 8 << 20
    configuration.storedBodyBytes = 0
    session = try ServerSession(configuration: configuration)
    try session.submitSettings([.maxConcurrentStreams(streams)])
    registration = try loop.register(stream.descriptor, interest: .readable, handler: self)
  }

  func ready(_ readiness: Readiness) {
    do {
      if !isSecure, try !shakeHands() { return }
      var more = true
      while more {
        more = try read()
        try answer()
        try flush()
      }
    } catch {
      close()
    }
  }

  private func shakeHands() throws -> Bool {
    switch stream.handshake() {
    case .complete: isSecure = true
    case .incomplete(let readiness): watch(readiness)
    case .failed(let error): throw error
    }
    return isSecure
  }

  /// Returns true if TLS may hold more data.
  private func read() throws -> Bool {
    let result = stream.read(into: &input)
    try session.receive(&input)
    switch result {
    case .wouldBlock(let readiness):
      watch(readiness)
      return false
    case .moreWaiting: return true
    case .endOfStream: throw MeasuringError("the client has gone")
    case .failed(let error): throw error
    }
  }

  private func answer() throws {
    while let event = session.nextEvent() {
      guard case .request(let request) = event else { continue }
      let isAnswered: Void? = request.withValue(of: "apns-id") { identifier in
        session.respond(to: request, status: 200, name: "apns-id", value: identifier)
      }
      if isAnswered == nil { session.respond(to: request, status: 200) }
    }
  }

  private func flush() throws {
    var more = true
    while more {
      more = try session.writeOutput(into: &output)
      switch stream.write(&output) {
      case .complete: continue
      case .wouldBlock(let readiness):
        watch([.readable, readiness])
        return
      case .failed(let error): throw error
      }
    }
  }

  private func watch(_ readiness: Readiness) {
    if let registration { loop.update(registration, interest: readiness) }
  }

  private func close() {
    guard let registration else { return }
    self.registration = nil
    loop.deregister(registration)
  }
}
