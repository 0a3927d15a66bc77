import FoundationEssentials
import HTTP2
import Reactor
import TLS
import TestSupport
import Time

@testable import Simulator

/// A provider on the wire, for one test: TLS and HTTP/2 with the project's client session, driven by hand.
final class WireClient: EventLoop.Handler {
  struct TimedOut: Error {}

  let session: ClientSession
  private let loop: EventLoop
  private let stream: TLSStream
  private var registration: EventLoop.Registration?
  private var input = ByteBuffer()
  private var output = ByteBuffer()
  private var isConnected = false
  private(set) var ends: [StreamEnd] = []
  private(set) var goAways: [GoAway] = []
  private(set) var limits: [Int] = []
  private(set) var pongs: [UInt64] = []
  private(set) var settings: [Setting] = []
  private(set) var isClosed = false
  private(set) var failure: TLSError?
  /// While true nothing is sent, so that frames gather and leave together.
  var isHolding = false
  private var authorization = ""

  init(_ address: String, authority: String, identity: TLSIdentity? = nil, protocols: [String] = ["h2"]) throws {
    loop = try EventLoop()
    var configuration = ClientSession.Configuration()
    configuration.keepsAllFields = true
    session = try ClientSession(configuration: configuration)
    let target = try HostPort(address)
    let address = try SocketAddress.resolve(host: target.host, port: target.port)[0]
    let trust = TLSContext.Trust(systemAuthorities: false, pems: [authority])
    stream = try TLSStream(
      connecting: Socket.connect(to: address),
      context: .client(trust: trust, protocols: protocols, identity: identity), serverName: "localhost")
    registration = try loop.register(stream.descriptor, interest: [.readable, .writable], handler: self)
  }

  /// Connects with a provider token minted now.
  convenience init(_ started: Simulator.Started, sandbox: Bool = false, identity: TLSIdentity? = nil) throws {
    let address = sandbox ? started.endpoints.sandbox : started.endpoints.apns
    try self.init(address, authority: started.authorityPEM, identity: identity)
    authorization = "bearer " + (try Self.providerToken(started.providerKey))
  }

  deinit {
    if let registration { loop.deregister(registration) }
  }

  /// Waits for the first SETTINGS.
  func connected() throws -> WireClient {
    try wait { !limits.isEmpty || !settings.isEmpty || isClosed }
    return self
  }

  func wait(_ isDone: () -> Bool) throws {
    let deadline = loop.clock.now + .patience
    while !isDone() {
      guard loop.clock.now < deadline else { throw TimedOut() }
      loop.turn(atMost: .milliseconds(50))
      pump()
    }
  }

  func ready(_ readiness: Readiness) {
    pump()
  }

  private func pump() {
    guard !isClosed, isConnected || shakeHands() else { return }
    switch stream.read(into: &input) {
    case .failed(let error): close(error)
    case .endOfStream: close(nil)
    case .wouldBlock, .moreWaiting: break
    }
    try? session.receive(&input)
    takeEvents()
    flush()
  }

  private func shakeHands() -> Bool {
    switch stream.handshake() {
    case .complete: isConnected = true
    case .incomplete(let readiness): loop.update(registration!, interest: readiness)
    case .failed(let error): close(error)
    }
    if isConnected { loop.update(registration!, interest: .readable) }
    return isConnected
  }

  private func takeEvents() {
    while let event = session.nextEvent() {
      switch event {
      case .closed(let end): ends.append(end)
      case .goAway(let goAway): goAways.append(goAway)
      case .settings(let entries):
        settings += entries
        // Of each frame, for the next one may have come already.
        for entry in entries where entry.identifier == 3 { limits.append(Int(entry.value)) }
      case .pong(let payload): pongs.append(payload)
      }
    }
  }

  func flush() {
    guard !isHolding, isConnected, !isClosed else { return }
    session.writeOutput(into: &output)
    if case .failed(let error) = stream.write(&output) { close(error) }
  }

  private func close(_ error: TLSError?) {
    isClosed = true
    failure = error
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  // MARK: Requests

  static func providerToken(_ key: Simulator.ProviderKey) throws -> String {
    let provider = try TestProvider(key)
    return try provider.token(issuedAt: SystemClock().wallTime.seconds)
  }

  /// A good request; headers given replace its own, an empty value removes one.
  func fields(_ token: String, _ changes: [String: String] = [:]) -> [HeaderField] {
    var fields = TestRequest(authorization: authorization, token: token).headers
    fields.removeAll { changes[$0.0] != nil || $0.0 == "apns-id" }
    fields += changes.filter { !$0.value.isEmpty }.map { ($0.key, $0.value) }
    return fields.sorted { $0.0.hasPrefix(":") && !$1.0.hasPrefix(":") }.map { HeaderField($0.0, $0.1) }
  }

  @discardableResult
  func submit(
    _ token: String, _ changes: [String: String] = [:], body: String = #"{"aps":{"alert":"hi"}}"#, tag: UInt64 = 0
  ) throws -> Int32 {
    let id = try session.submit(fields: fields(token, changes), body: Array(body.utf8), tag: tag)
    flush()
    return id
  }

  /// Sends one request and waits for its end.
  func push(
    _ token: String, _ changes: [String: String] = [:], body: String = #"{"aps":{"alert":"hi"}}"#
  ) throws -> StreamEnd {
    let id = try submit(token, changes, body: body)
    try wait { ends.contains { $0.streamID == id } || isClosed }
    guard let end = ends.first(where: { $0.streamID == id }) else { throw TimedOut() }
    return end
  }
}

extension StreamEnd {
  /// The JSON of a refusal.
  var text: String { String(decoding: body, as: UTF8.self) }
}
