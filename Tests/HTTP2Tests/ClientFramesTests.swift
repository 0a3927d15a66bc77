import HTTP2
import Reactor
import Testing

/// Frames as a server could send them, right and wrong, byte by byte.
@Suite struct ClientFramesTests {
  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
      + [24, 16, 8, 0].map { UInt8(stream >> $0 & 255) } + payload
  }

  private static let settings = frame(4, 0, 0)
  /// `:status: 200` of the static table.
  private static let ok: [UInt8] = [0x88]

  /// A client with requests 1, 3 and 5 open that has seen SETTINGS.
  private func makeClient() throws -> ClientSession {
    let client = try ClientSession()
    try receive(client, Self.settings)
    for tag in 0..<UInt64(3) {
      try client.submit(
        fields: [
          HeaderField(":method", "POST"), HeaderField(":scheme", "https"), HeaderField(":path", "/x"),
          HeaderField("host", "h"),
        ], body: [1, 2, 3], tag: tag)
    }
    var output = ByteBuffer()
    client.writeOutput(into: &output)
    while client.nextEvent() != nil {}
    return client
  }

  private func receive(_ client: ClientSession, _ bytes: [UInt8]) throws(HTTP2Error) {
    var buffer = ByteBuffer()
    buffer.append(bytes)
    try client.receive(&buffer)
  }

  private func ends(_ client: ClientSession) -> [StreamEnd] {
    var ends: [StreamEnd] = []
    while let event = client.nextEvent() { if case .closed(let end) = event { ends.append(end) } }
    return ends
  }

  private func output(_ client: ClientSession) -> [UInt8] {
    var output = ByteBuffer()
    client.writeOutput(into: &output)
    return output.withUnsafeReadable { Array($0) }
  }

  @Test func `bytes may arrive one at a time`() throws {
    let client = try makeClient()
    let answer = Self.frame(1, 4, 3, [0x8D]) + Self.frame(0, 0, 3, [65]) + Self.frame(0, 1, 3, [66, 67])
    for byte in answer { try receive(client, [byte]) }
    let end = try #require(ends(client).first)
    #expect(end.status == 404 && end.body == [65, 66, 67] && end.tag == 1 && end.streamID == 3)
  }

  @Test func `padding and priority are skipped, trailers and header blocks in pieces are read`() throws {
    let client = try makeClient()
    let padded = Self.frame(1, 4 | 8 | 32, 1, [2] + [0, 0, 0, 0, 15] + [0x8D] + [0, 0])
    let data = Self.frame(0, 8, 1, [3, 65, 66, 0, 0, 0])
    // Trailer `x: y`, literal without indexing, in two pieces.
    let trailer = Self.frame(1, 1, 1, [0x00, 1, 120]) + Self.frame(9, 4, 1, [1, 121])
    try receive(client, padded + data + trailer)
    let end = try #require(ends(client).first)
    #expect(end.status == 404 && end.body == [65, 66] && end.value(of: "x") == "y" && end.errorCode == .noError)
  }

  @Test func `frames for requests that are over, and unknown ones, change nothing`() throws {
    let client = try makeClient()
    try receive(client, Self.frame(1, 5, 1, Self.ok))
    #expect(ends(client).count == 1)
    // Headers with a table entry: they must be decompressed all the same.
    try receive(client, Self.frame(1, 5, 1, [0x40, 1, 97, 1, 98]))
    try receive(
      client, Self.frame(0, 1, 1, [1]) + Self.frame(3, 0, 1, [0, 0, 0, 5]) + Self.frame(8, 0, 1, [0, 0, 0, 9]))
    try receive(client, Self.frame(2, 0, 3, [0, 0, 0, 0, 1]) + Self.frame(0x77, 0xFF, 9, [1, 2, 3]))
    #expect(ends(client).isEmpty)
    // Index 62 is that entry.
    try receive(client, Self.frame(1, 5, 3, [0x8D, 0x80 | 62]))
    let end = try #require(ends(client).first)
    #expect(end.value(of: "a") == "b")
    #expect(client.acceptsRequests)
  }

  @Test func `an answer before the whole request was sent ends it`() throws {
    let client = try ClientSession()
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 10]))  // windows of ten bytes
    try client.submit(fields: [HeaderField(":method", "POST")], body: [UInt8](repeating: 7, count: 50), tag: 1)
    #expect(client.windowBytes == 65_535 - 10 - 40)
    _ = output(client)
    try receive(client, Self.frame(1, 5, 1, Self.ok))
    #expect(ends(client).first?.status == 200)
    #expect(output(client) == Self.frame(3, 0, 1, [0, 0, 0, 8]), "the rest is cancelled")
    #expect(client.windowBytes == 65_535 - 10)
  }

  @Test func `windows of a stream open and shut its body`() throws {
    let client = try ClientSession()
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 10]))
    _ = output(client)
    try client.submit(fields: [HeaderField(":method", "POST")], body: Array(0..<25), tag: 1)
    let first = output(client)
    #expect(first.suffix(19) == Self.frame(0, 0, 1, Array(0..<10)))
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 2]))  // eight fewer: the stream stands at -8
    try receive(client, Self.frame(8, 0, 1, [0, 0, 0, 10]))
    #expect(output(client).suffix(11) == Self.frame(0, 0, 1, [10, 11]))
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 100]))
    #expect(output(client).contains(24))
    #expect(client.windowBytes == 65_535 - 25)
  }

  @Test func `what is read is given back as window`() throws {
    let client = try makeClient()
    try receive(client, Self.frame(1, 4, 1, Self.ok))
    for _ in 0..<3 { try receive(client, Self.frame(0, 0, 1, [UInt8](repeating: 1, count: 16_384))) }
    let bytes = output(client)
    #expect(
      bytes == Self.frame(8, 0, 0, [0, 0, 0x80, 0]) + Self.frame(8, 0, 1, [0, 0, 0x80, 0]).map { $0 }
        || bytes.count == 26)
  }

  @Test func `pings are answered`() throws {
    let client = try makeClient()
    try receive(client, Self.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(output(client) == Self.frame(6, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8]))
  }

  @Test(arguments: [
    ("a DATA frame on stream 0", frame(0, 0, 0, [1])),
    ("HEADERS on a stream never opened", frame(1, 5, 9, ok)),
    ("HEADERS on an even stream", frame(1, 5, 2, ok)),
    ("CONTINUATION without HEADERS", frame(9, 4, 1, ok)),
    ("a frame inside a header block", frame(1, 0, 1, ok) + frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
    ("padding longer than its frame", frame(1, 4 | 8, 1, [9, 0x88])),
    ("padded but empty", frame(0, 8, 1)),
    ("HEADERS too short for its priority", frame(1, 4 | 32, 1, [0, 0])),
    ("a bad header block", frame(1, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
    ("a table entry that is not there", frame(1, 5, 1, [0xBE])),
    ("half a header block", frame(1, 5, 1, [0x00, 5, 97])),
    ("RST_STREAM of three bytes", frame(3, 0, 1, [0, 0, 0])),
    ("RST_STREAM of a stream never opened", frame(3, 0, 99, [0, 0, 0, 0])),
    ("SETTINGS on a stream", frame(4, 0, 1)),
    ("SETTINGS of seven bytes", frame(4, 0, 0, [0, 1, 0, 0, 0, 0, 0])),
    ("an acknowledgement with contents", frame(4, 1, 0, [0, 1, 0, 0, 0, 0])),
    ("push enabled by a server", frame(4, 0, 0, [0, 2, 0, 0, 0, 1])),
    ("frames too small", frame(4, 0, 0, [0, 5, 0, 0, 0, 1])),
    ("windows too large", frame(4, 0, 0, [0, 4, 0x80, 0, 0, 0])),
    ("PUSH_PROMISE", frame(5, 4, 1, [0, 0, 0, 2, 0x88])),
    ("a PING of seven bytes", frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0])),
    ("GOAWAY of seven bytes", frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0])),
    ("WINDOW_UPDATE of three bytes", frame(8, 0, 0, [0, 0, 1])),
    ("WINDOW_UPDATE of nothing", frame(8, 0, 0, [0, 0, 0, 0])),
    ("a window beyond its limit", frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF])),
    ("a frame too large", [0, 0x40, 1, 0, 0, 0, 0, 0, 1]),
  ])
  func `a violation ends the connection with GOAWAY`(_ name: String, _ bytes: [UInt8]) throws {
    let client = try makeClient()
    #expect(throws: HTTP2Error.self, "\(name)") { try self.receive(client, bytes) }
    #expect(!client.acceptsRequests && client.capacity == 0)
    #expect(output(client).dropFirst(3).first == 7, "GOAWAY")
    #expect(client.isFinished)
    try receive(client, Self.settings)
  }

  @Test(arguments: [
    ("no status", frame(1, 5, 1, [0x00, 1, 97, 1, 98])),
    ("a status that is no number", frame(1, 5, 1, [0x08, 3, 97, 98, 99])),
    ("an informational answer that ends", frame(1, 5, 1, [0x08, 3, 49, 48, 51])),
    ("two answers", frame(1, 4, 1, ok) + frame(1, 5, 1, ok)),
    ("data before headers", frame(0, 1, 1, [1])),
    ("a WINDOW_UPDATE of nothing", frame(8, 0, 1, [0, 0, 0, 0])),
    ("a window beyond its limit", frame(8, 0, 1, [0x7F, 0xFF, 0xFF, 0xFF])),
  ])
  func `a malformed answer ends its stream only`(_ name: String, _ bytes: [UInt8]) throws {
    let client = try makeClient()
    try receive(client, bytes)
    let closed = ends(client)
    #expect(closed.count == 1 && closed[0].errorCode != .noError && !closed[0].isNotProcessed, "\(name)")
    #expect(output(client)[3] == 3, "RST_STREAM")
    try receive(client, Self.frame(1, 5, 3, Self.ok))
    #expect(ends(client).first?.status == 200)
  }

  @Test func `the first frame must be SETTINGS`() throws {
    for bytes in [Self.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)), Self.frame(4, 1, 0)] {
      let client = try ClientSession()
      #expect(throws: HTTP2Error.self) { try self.receive(client, bytes) }
    }
  }

  @Test func `a peer cannot make us hoard acknowledgements or header blocks`() throws {
    let client = try makeClient()
    #expect(throws: HTTP2Error.self) {
      for _ in 0..<10_000 { try self.receive(client, Self.frame(6, 0, 0, [UInt8](repeating: 0, count: 8))) }
    }
    let other = try makeClient()
    try receive(other, Self.frame(1, 0, 1, Self.ok))
    #expect(throws: HTTP2Error.self) { for _ in 0..<100 { try self.receive(other, Self.frame(9, 0, 1)) } }
  }

  @Test func `no garbling of a server's bytes traps, and every request ends once or the session fails`() throws {
    // A real conversation to garble.
    let pair = try Pair()
    var wire: [UInt8] = []
    for tag in 0..<20 { try pair.submit(tag: UInt64(tag)) }
    var bytes = ByteBuffer()
    pair.client.writeOutput(into: &bytes)
    try pair.server.receive(&bytes)
    while let event = pair.server.nextEvent() {
      if case .request(let stream) = event {
        pair.server.respond(to: stream, status: 400, fields: [HeaderField("a", "b")], body: [1, 2, 3])
      }
    }
    try pair.server.writeOutput(into: &bytes)
    wire = Self.settings + bytes.withUnsafeReadable { Array($0) }
    for _ in 0..<3000 {
      let client = try ClientSession()
      try receive(client, Self.settings)
      for tag in 0..<20 {
        try client.submit(fields: [HeaderField(":method", "POST")], body: [1], tag: UInt64(tag))
      }
      var garbled = wire
      for _ in 0..<Int.random(in: 1...6) { garbled[Int.random(in: 0..<garbled.count)] = UInt8.random(in: 0...255) }
      var offset = 0
      var isBroken = false
      while offset < garbled.count, !isBroken {
        let count = min(Int.random(in: 1...200), garbled.count - offset)
        do { try receive(client, Array(garbled[offset..<offset + count])) } catch { isBroken = true }
        offset += count
      }
      let tags = ends(client).map(\.tag)
      #expect(Set(tags).count == tags.count)
      #expect(isBroken || tags.count + client.openStreams == 20)
    }
  }
}
