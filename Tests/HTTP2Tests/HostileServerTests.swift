import HTTP2
import Reactor
import Testing

/// What a hostile server could send for ever: each kind is counted, and ends the stream or the connection.
@Suite struct HostileServerTests {
  private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
      + [24, 16, 8, 0].map { UInt8(stream >> $0 & 255) } + payload
  }

  /// `:status: 200` of the static table; `:status: 103`, literal.
  private static let ok: [UInt8] = [0x88]
  private static let early: [UInt8] = [0x08, 3, 49, 48, 51]

  /// What may come that brings no answer nearer, when four streams have been open.
  private static let idleFrames = HTTP2.Limits.idleFrames + 4 * HTTP2.Limits.lateFrames

  /// A client that has seen SETTINGS: request 1 is over, 3 has headers, 5 and 7 wait.
  private func makeClient() throws -> ClientSession {
    let client = try ClientSession()
    try receive(client, Self.frame(4, 0, 0))
    for tag in 0..<UInt64(4) { try client.submit(fields: [HeaderField(":method", "POST")], body: [1], tag: tag) }
    try receive(client, Self.frame(1, 5, 1, Self.ok) + Self.frame(1, 4, 3, Self.ok))
    while client.nextEvent() != nil {}
    _ = output(client)
    return client
  }

  private func receive(_ client: ClientSession, _ bytes: [UInt8]) throws(HTTP2Error) {
    var buffer = ByteBuffer()
    buffer.append(bytes)
    try client.receive(&buffer)
  }

  private func output(_ client: ClientSession) -> [UInt8] {
    var output = ByteBuffer()
    client.writeOutput(into: &output)
    return output.withUnsafeReadable { Array($0) }
  }

  private func ends(_ client: ClientSession) -> [StreamEnd] {
    var ends: [StreamEnd] = []
    while let event = client.nextEvent() { if case .closed(let end) = event { ends.append(end) } }
    return ends
  }

  /// A literal field that enters the compression table: `a: xxx…`.
  private static func entry(_ count: Int) -> [UInt8] {
    var length = count - 127
    var bytes: [UInt8] = [0x40, 1, 97, 127]
    while length >= 128 {
      bytes.append(UInt8(length & 127) | 128)
      length >>= 7
    }
    return bytes + [UInt8(length)] + [UInt8](repeating: 120, count: count)
  }

  // MARK: Memory

  @Test func `a small header block that unfolds into megabytes ends the connection`() throws {
    let client = try makeClient()
    let bomb = Self.frame(1, 4, 5, [0x8D] + Self.entry(3_900) + [UInt8](repeating: 0xBE, count: 8_000))
    #expect(
      throws: HTTP2Error(operation: "receive", reason: "ENHANCE_YOUR_CALM: a header list beyond 32768 bytes")
    ) { try self.receive(client, bomb) }
  }

  @Test func `so it does on a stream that is over`() throws {
    let client = try makeClient()
    let bomb = Self.frame(1, 5, 1, [0x8D] + Self.entry(3_900) + [UInt8](repeating: 0xBE, count: 8_000))
    #expect(throws: HTTP2Error.self) { try self.receive(client, bomb) }
  }

  @Test func `a header list of 32768 bytes passes, one more byte does not`() throws {
    // As RFC 9113 §6.5.2 counts: names, values, and 32 for each field.
    let status = 7 + 3 + 32
    for extra in [0, 1] {
      let client = try makeClient()
      let block = [0x8D] + Self.entry(HTTP2.Limits.headerListBytes - status - 33 + extra)
      let bytes =
        Self.frame(1, 1, 5, Array(block.prefix(16_000))) + Self.frame(9, 0, 5, Array(block[16_000..<32_000]))
        + Self.frame(9, 4, 5, Array(block[32_000...]))
      if extra == 0 {
        try receive(client, bytes)
        #expect(ends(client).first?.status == 404)
      } else {
        #expect(throws: HTTP2Error.self) { try self.receive(client, bytes) }
      }
    }
  }

  @Test func `an answer larger than any that is read ends its stream`() throws {
    for extra in [0, 1] {
      let client = try makeClient()
      for _ in 0..<4 { try receive(client, Self.frame(0, 0, 3, [UInt8](repeating: 7, count: 16_384))) }
      #expect(ends(client).isEmpty)
      try receive(client, Self.frame(0, 1, 3, [UInt8](repeating: 7, count: extra)))
      let end = try #require(ends(client).first, "with \(extra) more")
      #expect(end.body.count == HTTP2.Limits.storedBodyBytes)
      #expect(end.errorCode == (extra == 0 ? .noError : .enhanceYourCalm))
      #expect(client.acceptsRequests)
    }
  }

  @Test func `a peer that does not read cannot make us hoard acknowledgements`() throws {
    for (bytes, most) in [(Self.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)), 17), (Self.frame(4, 0, 0), 9)] {
      let client = try makeClient()
      #expect(throws: HTTP2Error.self) { for _ in 0..<2_000 { try self.receive(client, bytes) } }
      #expect(output(client).count <= most * HTTP2.Limits.waitingAcknowledgements + 17)
    }
  }

  // MARK: Work

  static let floods: [(String, [UInt8])] = [
    ("empty DATA", frame(0, 0, 3)),
    ("DATA of padding alone", frame(0, 8, 3, [3, 0, 0, 0])),
    ("DATA on a stream that is over", frame(0, 0, 1, [1])),
    ("HEADERS on a stream that is over", frame(1, 5, 1, ok)),
    ("PRIORITY", frame(2, 0, 3, [0, 0, 0, 0, 1])),
    ("RST_STREAM of a stream that is over", frame(3, 0, 1, [0, 0, 0, 8])),
    ("SETTINGS", frame(4, 0, 0, [0, 4, 0, 0, 0xFF, 0xFF])),
    ("acknowledgements of SETTINGS", frame(4, 1, 0)),
    ("PING", frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
    ("acknowledgements of PING", frame(6, 1, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
    ("GOAWAY", frame(7, 0, 0, [0, 0, 0, 9, 0, 0, 0, 0])),
    ("WINDOW_UPDATE", frame(8, 0, 0, [0, 0, 0, 1])),
    ("WINDOW_UPDATE of a stream", frame(8, 0, 5, [0, 0, 0, 1])),
    ("frames of an unknown type", frame(0x77, 0, 0, [1, 2, 3])),
  ]

  @Test(arguments: floods) func `frames that bring no answer are counted, and too many end the connection`(
    _ name: String, _ frame: [UInt8]
  ) throws {
    let client = try makeClient()
    // Read by turns, and all that we say is taken: nothing piles up.
    var taken = 0
    #expect(throws: HTTP2Error.self, "\(name)") {
      for _ in 0..<100_000 {
        try self.receive(client, frame)
        taken += 1
        _ = self.output(client)
        while client.nextEvent() != nil {}
      }
    }
    #expect(taken <= Self.idleFrames, "\(name)")
    // The last that it says: GOAWAY, ENHANCE_YOUR_CALM.
    #expect(output(client).suffix(17) == Self.frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0, 11])[...], "\(name)")
  }

  @Test func `the late answers to a thousand requests that were given up are no flood`() throws {
    let client = try makeClient()
    var ids: [Int32] = []
    for tag in 0..<UInt64(1_000) {
      ids.append(try client.submit(fields: [HeaderField(":method", "POST")], body: [1], tag: tag))
    }
    for id in ids { client.reset(id, .cancel) }
    for id in ids {
      try receive(client, Self.frame(1, 4, UInt32(id), Self.ok) + Self.frame(0, 1, UInt32(id), [1]))
    }
    for _ in 0..<1_000 { try receive(client, Self.frame(8, 0, 0, [0, 0, 0, 1])) }
    #expect(client.acceptsRequests)
  }

  @Test func `combining marks without end in an answer's field are replaced`() throws {
    let client = try makeClient()
    let marks = Array(String(repeating: "\u{301}", count: 50).utf8)
    try receive(client, Self.frame(1, 5, 5, [0x8D, 0, 1, 97, UInt8(marks.count)] + marks))
    let value = try #require(ends(client).first?.fields.first?.value)
    #expect(value.unicodeScalars.filter { $0 == "\u{FFFD}" }.count == 20)
  }

  @Test func `a second later the count begins anew, and so it does with an answer`() throws {
    let client = try makeClient()
    let frame = Self.frame(6, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])
    func ping(_ count: Int) throws {
      for _ in 0..<count {
        try receive(client, frame)
        _ = output(client)
      }
    }
    try ping(Self.idleFrames)
    client.secondPassed()
    try ping(Self.idleFrames)
    try receive(client, Self.frame(1, 5, 5, Self.ok))
    try ping(Self.idleFrames)
    #expect(client.acceptsRequests)
    #expect(throws: HTTP2Error.self) { try ping(1) }
  }

  @Test func `eight announcements of an answer pass, nine end its stream`() throws {
    for extra in [0, 1] {
      let client = try makeClient()
      for _ in 0..<HTTP2.Limits.announcements + extra { try receive(client, Self.frame(1, 4, 5, Self.early)) }
      try receive(client, Self.frame(1, 5, 5, Self.ok))
      let closed = ends(client)
      #expect(closed.count == 1 && closed[0].errorCode == (extra == 0 ? .noError : .enhanceYourCalm))
    }
  }

  @Test func `empty CONTINUATIONs, and a block of many, end the connection`() throws {
    for payload in [[], [UInt8](repeating: 0x88, count: 16_384)] {
      let client = try makeClient()
      try receive(client, Self.frame(1, 0, 5, Self.ok))
      #expect(throws: HTTP2Error.self) { for _ in 0..<16 { try self.receive(client, Self.frame(9, 0, 5, payload)) } }
    }
  }

  @Test func `windows that open by one byte leave each body whole, in the order of its windows`() throws {
    let client = try ClientSession()
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 0]))  // no window at all
    for tag in 0..<UInt64(3) { try client.submit(fields: [HeaderField(":method", "POST")], body: [1, 2], tag: tag) }
    _ = output(client)
    try receive(client, Self.frame(8, 0, 5, [0, 0, 0, 1]))
    #expect(output(client) == Self.frame(0, 0, 5, [1]))
    try receive(client, Self.frame(8, 0, 1, [0, 0, 0, 2]))
    #expect(output(client) == Self.frame(0, 1, 1, [1, 2]))
    try receive(client, Self.frame(8, 0, 5, [0, 0, 0, 1]))
    #expect(output(client) == Self.frame(0, 1, 5, [2]))
    try receive(client, Self.frame(4, 0, 0, [0, 4, 0, 0, 0, 9]))
    #expect(Array(output(client).prefix(20)) == Self.frame(4, 1, 0) + Self.frame(0, 1, 3, [1, 2]))
    #expect(client.windowBytes == 65_535 - 6)
  }
}
