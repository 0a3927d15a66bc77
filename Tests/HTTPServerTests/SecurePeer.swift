import Reactor
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// A client over TLS that turns the server's loop while it waits.
final class SecurePeer {
  private let server: TestServer
  private var stream: TLSStream?
  private(set) var received: [UInt8] = []
  /// The server has said goodbye, as it must before it closes.
  private(set) var isEnded = false
  /// The connection was cut without a word.
  private(set) var isCut = false

  /// Connects and shakes hands. `stream` is nil when the server refuses.
  /// - Parameter before: plain bytes that precede TLS.
  init(
    _ server: TestServer, authority: CertificateAuthority, protocols: [String] = ["http/1.1"], before: [UInt8] = []
  ) throws {
    self.server = server
    let context = try TLSContext.client(
      trust: .init(systemAuthorities: false, pems: [authority.certificatePEM]), protocols: protocols)
    let socket = try Socket.connect(to: server.address)
    server.turn()
    let sent = before.isEmpty ? .bytes(0) : socket.send(before, from: 0)
    #expect(sent == .bytes(before.count))
    let stream = try TLSStream(connecting: socket, context: context, serverName: "localhost")
    for _ in 0..<1_000 {
      switch stream.handshake() {
      case .complete:
        self.stream = stream
        return
      case .incomplete: server.loop.turn(atMost: .milliseconds(1))
      case .failed: return
      }
    }
  }

  var isOpen: Bool { stream != nil }
  var negotiatedProtocol: String? { stream?.negotiatedProtocol }
  var version: String? { stream?.version }
  var serverName: String? { stream?.peerCertificate?.commonName }
  var serverEnds: Int64? { stream?.peerCertificate?.notAfter }

  func send(_ text: String) {
    var buffer = ByteBuffer()
    buffer.append(text)
    var turns = 0
    while !buffer.isEmpty, turns < 100_000 {
      turns += 1
      guard case .wouldBlock = stream?.write(&buffer) else { return }
      server.turn(1)
    }
  }

  func receive() {
    guard let stream, !isEnded, !isCut else { return }
    var buffer = ByteBuffer()
    let result = stream.read(into: &buffer)
    received += buffer.withReadable { Array(copying: $0) }
    if case .endOfStream = result { isEnded = true }
    if case .failed = result { isCut = true }
  }

  @discardableResult
  func wait(until condition: () -> Bool) -> Bool {
    server.loop.turns {
      receive()
      return condition()
    }
  }

  func takeAnswer() throws -> Answer {
    var answer: Answer?
    wait {
      answer = Answer(parsing: &received, toHead: false, isEnded: isEnded)
      return answer != nil || isEnded || isCut
    }
    return try #require(answer, "no answer in: \(String(decoding: received, as: UTF8.self))")
  }

  func exchange(_ text: String) throws -> Answer {
    send(text)
    return try takeAnswer()
  }

  /// Says goodbye and shuts the sending side: half-closed.
  func finish() {
    stream?.sendCloseNotify()
    stream?.shutdownWrite()
  }

  func close() { stream = nil }
}
