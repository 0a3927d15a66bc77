import Foundation
import Reactor
import Testing

@testable import HTTPServer

/// Long bodies that go to the disk as they come.
@Suite final class SpooledBodyTests {
  private let directory = NSTemporaryDirectory() + "upmc-spool-\(UUID().uuidString)"
  private var taken: [SpooledBody] = []
  private var waiting: [Responder] = []

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Takes what is longer than a thousand bytes to the disk, answers with length and a sum.
  private func server(spoolBytes: Int = 100_000_000, answersAtOnce: Bool = true) throws -> TestServer {
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 1_000
    configuration.spoolDirectory = directory
    configuration.spoolBytes = spoolBytes
    return try TestServer(configuration: configuration, bodyLimit: 5_000_000) { [unowned self] request, responder in
      let owned = request.owned()
      guard answersAtOnce else {
        if let spooled = owned.spooled, request.pathEquals("/kept") { taken.append(spooled) }
        return waiting.append(responder)
      }
      guard let spooled = owned.spooled else {
        return responder.send(Response(status: .ok, contentType: "text/plain", body: "memory \(owned.body.count)"))
      }
      taken.append(spooled)
      let isAlone = owned.body.isEmpty && request.bodyCount == spooled.count
      responder.send(Response(status: .ok, contentType: "text/plain", body: "disk \(spooled.count) \(isAlone)"))
    }
  }

  private func head(_ length: Int) -> String { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n" }
  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
  private func content(_ body: SpooledBody) throws -> [UInt8] { try body.read(at: 0, upTo: .max) }
  private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? ["?"] }

  @Test func `a long body is on the disk whole, and what is sent ahead of its answer is a request`() throws {
    let server = try server()
    let peer = try server.connect()
    let body = bytes(3_000_000)
    peer.send(Array(head(body.count).utf8) + body + Array((head(3) + "abc").utf8))
    #expect(try peer.takeAnswer().body == "disk 3000000 true")
    #expect(try peer.takeAnswer().body == "memory 3")
    #expect(try content(taken[0]) == body)
    #expect(try taken[0].read(at: 2_999_990, upTo: 100) == Array(body.suffix(10)))
    #expect(server.server.bodies.memory.held == 0)
    // The file is still there; what its last read brought was never counted.
    #expect(server.server.bodies.disk.held > 3_000_000 - 2 * HTTPLimits.bodyReadBytes)
    taken = []
    #expect(server.server.bodies.disk.held == 0)
    #expect(files.isEmpty, "a name is left: \(files)")
  }

  @Test(arguments: [1_000, 1_001])
  func `the standard length is kept in memory, one byte more is not`(count: Int) throws {
    let peer = try server().connect()
    #expect(
      try peer.exchange(head(count) + String(repeating: "x", count: count)).body
        == (count == 1_000 ? "memory 1000" : "disk 1001 true"))
  }

  @Test func `byte by byte it is the same`() throws {
    let server = try server()
    let peer = try server.connect()
    let body = bytes(2_000)
    for byte in Array(head(body.count).utf8) + body {
      peer.send([byte])
      server.turn(1)
    }
    #expect(try peer.takeAnswer().body == "disk 2000 true")
    #expect(try content(taken[0]) == body)
  }

  @Test(arguments: [1, 700, 70_000]) func `chunks go there too`(size: Int) throws {
    let peer = try server().connect()
    let body = bytes(size * 40)
    var text = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    for start in stride(from: 0, to: body.count, by: size) {
      text += Array("\(String(size, radix: 16))\r\n".utf8) + body[start..<start + size] + [13, 10]
    }
    peer.send(text + Array(("0\r\nx: y\r\n\r\n" + head(1) + "z").utf8))
    #expect(try peer.takeAnswer().body == "disk \(body.count) true")
    #expect(try peer.takeAnswer().body == "memory 1")
    #expect(try content(taken[0]) == body)
  }

  @Test func `neither a length nor chunks get beyond the limit`() throws {
    let server = try server()
    #expect(try server.connect().exchange(head(5_000_001)).status == 413)
    let peer = try server.connect()
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<60 { peer.send("186A0\r\n" + String(repeating: "x", count: 100_000) + "\r\n") }
    #expect(try peer.takeAnswer().status == 413)
    #expect(server.server.bodies.disk.held == 0)
    #expect(taken.isEmpty && files.isEmpty)
  }

  @Test func `memory stays flat however many come at once`() throws {
    let server = try server(answersAtOnce: false)
    let peers = try (0..<20).map { _ in try server.connect() }
    for peer in peers { peer.send(head(4_000_000)) }
    for _ in 0..<39 {
      for peer in peers { peer.send(String(repeating: "x", count: 100_000)) }
    }
    #expect(peers[0].wait { server.server.bodies.disk.held > 75_000_000 })
    #expect(server.server.bodies.memory.held <= 40 * HTTPLimits.bodyReadBytes)
    #expect((server.server.firstConnection?.request.store.input.allocatedBytes ?? 0) <= 2 * HTTPLimits.bodyReadBytes)
    for peer in peers { peer.send(String(repeating: "x", count: 100_000)) }
    #expect(peers[0].wait { waiting.count == 20 })
    for responder in waiting { responder.send(status: .ok) }
    #expect(server.server.bodies.disk.held == 0 && server.server.bodies.memory.held == 0)
  }

  @Test func `what does not fit beside the others is told 503 at once, and fits when they are done or gone`() throws {
    let server = try server(spoolBytes: 5_000_000)
    let slow = try server.connect()
    slow.send(head(3_000_000) + String(repeating: "x", count: 2_900_000))
    server.turn(20)
    let late = try server.connect()
    let refused = try late.exchange(head(3_000_000))
    #expect(refused.status == 503 && refused.header("retry-after") == "1" && late.waitForClose(), "\(refused)")
    slow.reset()
    server.turn(20)
    #expect(server.server.bodies.disk.held == 0)
    #expect(try server.connect().exchange(head(3_000_000) + String(repeating: "x", count: 3_000_000)).status == 200)
  }

  @Test func `a client that leaves frees nothing that is still worked on`() throws {
    let server = try server(spoolBytes: 5_000_000, answersAtOnce: false)
    let body = String(repeating: "x", count: 3_000_000)
    let leaver = try server.connect()
    leaver.send(head(3_000_000).replacing("POST /", with: "POST /kept") + body)
    #expect(leaver.wait { waiting.count == 1 })
    leaver.reset()
    server.turn(20)
    #expect(server.server.connectionCount == 0)
    #expect(server.server.bodies.disk.held > 3_000_000 - 2 * HTTPLimits.bodyReadBytes)
    #expect(try server.connect().exchange(head(3_000_000)).status == 503)
    taken = []
    #expect(server.server.bodies.disk.held == 0)
  }

  @Test func `where no file can be made it stays in memory`() throws {
    let server = try server()
    try FileManager.default.removeItem(atPath: directory)
    let peer = try server.connect()
    #expect(try peer.exchange(head(2_000) + String(repeating: "x", count: 2_000)).body == "memory 2000")
  }
}
