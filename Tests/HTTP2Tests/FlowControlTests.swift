import HTTP2
import Testing

@Suite struct FlowControlTests {
  @Test func `a hundred bodies of 4096 bytes arrive whole`() throws {
    let pair = try Pair()
    var received = 0
    pair.onRequest = { stream in
      #expect(stream.bodyCount == 4096)
      #expect(
        stream.withBody { body in body.indices.allSatisfy { body[$0] == UInt8(truncatingIfNeeded: stream.id >> 1) } })
      received += 1
      pair.server.respond(to: stream, status: 200)
    }
    for index in 0..<100 {
      try pair.submit(body: [UInt8](repeating: UInt8(index), count: 4096), tag: UInt64(index))
    }
    #expect(pair.client.windowBytes == 65_535 - 100 * 4096)
    try pair.exchange()
    #expect(received == 100)
    #expect(Set(pair.takeEnds().map(\.tag)).count == 100)
  }

  @Test func `a withheld window stops bodies, and its release lets them go`() throws {
    var configuration = ServerSession.Configuration()
    configuration.updatesWindows = false
    let pair = try Pair(server: configuration)
    for index in 0..<100 { try pair.submit(body: [UInt8](repeating: 7, count: 4096), tag: UInt64(index)) }
    try pair.exchange()
    #expect(pair.opened == 100, "headers are not under flow control")
    #expect(pair.requests.count == 15, "65,535 bytes hold fifteen bodies")
    #expect(pair.client.windowBytes == 65_535 - 100 * 4096)
    #expect(!pair.client.wantsWrite, "what waits for a window does not ask to be written")
    var rounds = 0
    while pair.requests.count < 100, rounds < 100 {
      pair.server.releaseWindow()
      try pair.exchange()
      rounds += 1
    }
    #expect(pair.requests.count == 100)
  }

  @Test func `giving up a request that waits for the window gives its bytes back to the count`() throws {
    var configuration = ServerSession.Configuration()
    configuration.updatesWindows = false
    let pair = try Pair(server: configuration)
    var ids: [Int32] = []
    for _ in 0..<20 { ids.append(try pair.submit(body: [UInt8](repeating: 7, count: 4096))) }
    try pair.exchange()
    #expect(pair.client.windowBytes == 65_535 - 20 * 4096)
    for id in ids { pair.client.reset(id, .cancel) }
    try pair.exchange()
    #expect(pair.client.windowBytes == 0)
    #expect(pair.client.openStreams == 0)
  }
}
