import Domain
import HTTPClient
import HTTPServer
import Operations
import Postgres
import Reactor
import TestSupport
import Testing

@testable import API

@Suite struct StreamTests {
  /// Fast enough for a test.
  private static func times(rest: Duration = .seconds(60), life: Duration = .seconds(600)) -> StreamTimes {
    var times = StreamTimes()
    (times.look, times.slowLook, times.rest, times.life) = (.milliseconds(5), .milliseconds(5), rest, life)
    return times
  }

  private static let path = "/v1/admin/messages/1/events"

  private func message(in world: AdminWorld, key: String) throws {
    #expect(try world.call("POST", "/v1/admin/messages", key: key, AdminWorld.send).status == 202)
  }

  @Test func `whoever watches a message gets its numbers at once and whenever they change`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let key = try world.key(.admin)
    try message(in: world, key: key)
    let viewer = try Watcher(world, Self.path, key: key)
    #expect(try viewer.next().hasPrefix("event: funnel\ndata: {\"seqno\":\"1\",\"state\":\"queued\""))
    #expect(viewer.head.contains("Content-Type: text/event-stream\r\n"))
    #expect(try world.call("POST", "/v1/admin/messages/1/pause", key: key, type: nil).status == 200)
    #expect(try viewer.next().contains("\"state\":\"paused\""))
    try world.connection.script("INSERT INTO message_totals (seqno, writer, received) VALUES (1, 1, 7)")
    #expect(try viewer.next().contains("\"received\":7"))
  }

  @Test func `a message that has ended and rests is told to have ended, and the answer with it`() throws {
    let world = try AdminWorld(streamTimes: Self.times(rest: .milliseconds(50)))
    let key = try world.key(.viewer)
    try message(in: world, key: try world.key(.admin))
    let viewers = try (0..<3).map { _ in try Watcher(world, Self.path, key: key) }
    for viewer in viewers { #expect(try viewer.next().hasPrefix("event: funnel")) }
    _ = try world.call("POST", "/v1/admin/messages/1/cancel", key: try world.key(.admin), type: nil)
    for viewer in viewers {
      var last = try viewer.next()
      while last.hasPrefix("event: funnel") { last = try viewer.next() }
      #expect(last.hasPrefix("event: end\ndata: {\"seqno\":\"1\",\"state\":\"cancelled\""))
      #expect(try viewer.isWhole())
    }
  }

  @Test func `a subject rests from the end of its look on, four times as long as that took`() {
    let began = Instant(nanoseconds: 1_000_000_000)
    func rest(_ took: Duration) -> Duration {
      StreamLoop.nextLook(from: began, to: began + took, pause: .milliseconds(500)) - (began + took)
    }
    #expect(rest(.milliseconds(1)) == .milliseconds(500))
    #expect(rest(.milliseconds(125)) == .milliseconds(500))
    #expect(rest(.seconds(3)) == .seconds(12))
  }

  @Test func `an answer ends after its life, so that a browser proves anew who it is`() throws {
    let world = try AdminWorld(streamTimes: Self.times(life: .milliseconds(30)))
    let key = try world.key(.admin)
    try message(in: world, key: key)
    let viewer = try Watcher(world, Self.path, key: key)
    #expect(try viewer.next().hasPrefix("event: funnel"))
    #expect(try viewer.isWhole())
  }

  @Test func `a server that stops ends what goes on for long`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let key = try world.key(.admin)
    try message(in: world, key: key)
    let viewer = try Watcher(world, Self.path, key: key)
    _ = try viewer.next()
    world.threads.endStreams()
    #expect(try viewer.isWhole())
    #expect(try world.call("GET", Self.path, key: key, type: nil).isProblem(.busy))
  }

  @Test func `nobody watches what is not there, or belongs to another app`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    try message(in: world, key: try world.key(.admin))
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    let foreign = try world.key(.admin, app: "b")
    #expect(try world.call("GET", Self.path, key: foreign, type: nil).isProblem(.unknownMessage))
    #expect(
      try world.call("GET", "/v1/admin/messages/2/events", key: foreign, type: nil).isProblem(.unknownMessage))
    #expect(try world.call("HEAD", Self.path, key: try world.key(.viewer), type: nil).status == 200)
  }

  @Test func `whoever watches the overview of an app is told what happens in it, and nothing of another`() throws {
    let world = try AdminWorld(streamTimes: Self.times())
    let path = "/v1/admin/overview/events"
    _ = try Administration.createApp(
      "b", name: "b", timeZone: "UTC", identity: .open, by: .commandLine, on: world.connection)
    let foreign = try world.key(.viewer, app: "b")
    #expect(
      try world.call("GET", "\(path)?appId=com.example.bank", key: foreign, type: nil).isProblem(.forbidden))
    #expect(try world.call("GET", "\(path)?appId=nobody", key: foreign, type: nil).isProblem(.unknownApp))
    let viewers = [
      try Watcher(world, path, key: try world.key(.viewer)),
      try Watcher(world, "\(path)?appId=com.example.bank", key: try world.key(.admin, app: nil)),
      try Watcher(world, path, key: try world.key(.admin, app: nil)),
    ]
    let other = try Watcher(world, path, key: foreign)
    for viewer in viewers + [other] {
      #expect(try viewer.next().hasPrefix("event: overview\ndata: {\"minutes\":{\"from\""))
    }
    try message(in: world, key: try world.key(.admin))
    // Another minute may begin meanwhile, which is told as well.
    for viewer in viewers { while try !viewer.next().contains("\"items\":[{\"seqno\":\"1\"") {} }
    try world.connection.script(
      """
      INSERT INTO statistics_minutes (app, at, network, lane, app_version, reason, writer, rejected)
      VALUES (2, date_trunc('minute', now()), 1, 1, '', 'Unregistered', 1, 7)
      """)
    var told = ""
    while !told.contains("\"reason\":\"Unregistered\"") {
      told = try other.next()
      #expect(!told.contains("\"seqno\""))
    }
    #expect(told.contains("\"rejected\":7"))
  }
}

/// A client that reads an answer while it is being written.
final class Watcher {
  private let world: AdminWorld
  private var socket: Socket
  private var received: [UInt8] = []
  private var isClosed = false
  /// Of the answer, with its status line.
  private(set) var head = ""
  /// What came in chunks and was not taken yet.
  private var body: [UInt8] = []
  private var isEnded = false

  convenience init(_ world: AdminWorld, _ path: String, key: String) throws {
    try self.init(world, "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)")
  }

  /// - Parameters:
  ///   - head: without its end, and without the length of `body`.
  ///   - body: nil when none follows now.
  init(_ world: AdminWorld, _ head: String, body: String? = nil) throws {
    self.world = world
    let address = try #require(SocketAddress.resolve(host: "127.0.0.1", port: world.server.port).first)
    socket = try Socket.connect(to: address)
    let length = body.map { "\r\nContent-Length: \($0.utf8.count)" } ?? ""
    let request = Array("\(head)\(length)\r\n\r\n\(body ?? "")".utf8)
    _ = try poll("the request could not be sent", every: .zero) { () -> Bool? in
      world.loop.turn(atMost: .milliseconds(1))
      return request.withUnsafeBytes { socket.send($0) } == .bytes(request.count) ? true : nil
    }
  }

  /// Goes without a word, as a browser that is closed.
  func leave() {
    socket.resetOnClose()
  }

  /// Of the answer.
  func status() throws -> Int {
    try wait { !head.isEmpty }
    return Int(head.split(separator: " ")[1]) ?? 0
  }

  /// The next event, without the empty line that ends it. Comments are passed over.
  func next() throws -> String {
    while true {
      try wait { String(decoding: body, as: UTF8.self).contains("\n\n") }
      let text = String(decoding: body, as: UTF8.self)
      let end = try #require(text.firstRange(of: "\n\n"))
      body.removeFirst(text[..<end.upperBound].utf8.count)
      if !text.hasPrefix(":") { return String(text[..<end.lowerBound]) }
    }
  }

  /// Everything of the answer; waits until it has ended.
  func rest() throws -> [UInt8] {
    try wait { isEnded || isClosed }
    return body
  }

  /// Waits for the end. True when nothing of the answer is missing.
  func isWhole() throws -> Bool {
    try wait { isEnded || isClosed }
    return isEnded
  }

  private func wait(until condition: () -> Bool) throws {
    func soFar() -> String { "\(head) \(String(decoding: body, as: UTF8.self))" }
    _ = try poll("nothing came for long; so far: \(soFar())", every: .zero) { () -> Bool? in
      if condition() { return true }
      world.loop.turn(atMost: .milliseconds(1))
      var piece = [UInt8](repeating: 0, count: 65_536)
      switch piece.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
      case .bytes(let count): received += piece.prefix(count)
      case .wouldBlock: break
      default: isClosed = true
      }
      parse()
      return nil
    }
  }

  private func parse() {
    if head.isEmpty {
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
      head = String(decoding: received[..<end.upperBound], as: UTF8.self)
      received.removeFirst(end.upperBound)
    }
    while !isEnded, let line = received.firstRange(of: [13, 10]) {
      guard let size = Int(String(decoding: received[..<line.lowerBound], as: UTF8.self), radix: 16),
        received.count >= line.upperBound + size + 2
      else { return }
      body += received[line.upperBound..<(line.upperBound + size)]
      received.removeFirst(line.upperBound + size + 2)
      isEnded = size == 0
    }
  }
}
