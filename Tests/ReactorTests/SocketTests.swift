import Glibc
import Reactor
import Testing

@Suite struct SocketTests {
  /// Two ends of one connection over loopback.
  private struct Pair: ~Copyable {
    let client: Socket
    let server: Socket
  }

  private func loopback() throws -> SocketAddress {
    try #require(try SocketAddress.resolve(host: "127.0.0.1", port: 0).first)
  }

  private func pair(on address: SocketAddress? = nil) throws -> Pair {
    let listener = try Socket.listen(on: try address ?? loopback())
    let client = try Socket.connect(to: try local(listener))
    awaitEvent(listener.descriptor, POLLIN)
    guard let server = try listener.accept() else { throw SystemError(code: EAGAIN, operation: "accept") }
    awaitEvent(client.descriptor, POLLOUT)
    #expect(client.connectError == 0)
    return Pair(client: client, server: server)
  }

  // The macros cannot look into what cannot be copied.
  private func local(_ socket: borrowing Socket) throws -> SocketAddress {
    let address = socket.localAddress
    return try #require(address)
  }

  private func remote(_ socket: borrowing Socket) throws -> SocketAddress {
    let address = socket.remoteAddress
    return try #require(address)
  }

  /// Waits until the kernel reports the event, five minutes at most.
  private func awaitEvent(_ descriptor: Int32, _ event: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    #expect(poll(&entry, 1, 300_000) == 1)
  }

  private func send(_ text: String, on socket: borrowing Socket) -> Socket.Transfer {
    Array(text.utf8).withUnsafeBytes { bytes in socket.send(bytes) }
  }

  private func receive(_ socket: borrowing Socket, room: Int = 100) -> (transfer: Socket.Transfer, text: String) {
    var bytes = [UInt8](repeating: 0, count: room)
    let transfer = bytes.withUnsafeMutableBytes { buffer in socket.receive(into: buffer) }
    guard case .bytes(let count) = transfer else { return (transfer, "") }
    return (transfer, String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  @Test func `bytes go both ways`() throws {
    let pair = try pair()
    #expect(send("question", on: pair.client) == .bytes(8))
    awaitEvent(pair.server.descriptor, POLLIN)
    #expect(receive(pair.server).text == "question")
    #expect(send("answer", on: pair.server) == .bytes(6))
    awaitEvent(pair.client.descriptor, POLLIN)
    #expect(receive(pair.client).text == "answer")
  }

  @Test func `reading where nothing is does not block`() throws {
    let pair = try pair()
    #expect(receive(pair.server).transfer == .wouldBlock)
    #expect(receive(pair.client).transfer == .wouldBlock)
  }

  @Test func `writing to a peer that does not read ends in would-block, then goes on`() throws {
    let pair = try pair()
    let block = [UInt8](repeating: 1, count: 65_536)
    var sent = 0
    var transfer = Socket.Transfer.bytes(0)
    while sent < 1 << 30 {
      transfer = block.withUnsafeBytes { bytes in pair.client.send(bytes) }
      guard case .bytes(let count) = transfer else { break }
      sent += count
    }
    #expect(transfer == .wouldBlock)
    var received = 0
    while received < sent {
      awaitEvent(pair.server.descriptor, POLLIN)
      guard case .bytes(let count) = receive(pair.server, room: 1 << 20).transfer else { break }
      received += count
    }
    #expect(received == sent)
    awaitEvent(pair.client.descriptor, POLLOUT)
    #expect(send("x", on: pair.client) == .bytes(1))
  }

  @Test func `a half-closed connection still carries the answer`() throws {
    let pair = try pair()
    #expect(send("last question", on: pair.client) == .bytes(13))
    pair.client.shutdownWrite()
    awaitEvent(pair.server.descriptor, POLLIN)
    #expect(receive(pair.server).text == "last question")
    // The end is a packet of its own.
    awaitEvent(pair.server.descriptor, POLLIN)
    #expect(receive(pair.server).transfer == .endOfStream)
    #expect(send("answer", on: pair.server) == .bytes(6))
    awaitEvent(pair.client.descriptor, POLLIN)
    #expect(receive(pair.client).text == "answer")
  }

  @Test func `a closed peer reads as end of stream`() throws {
    let listener = try Socket.listen(on: try loopback())
    do {
      let client = try Socket.connect(to: try local(listener))
      awaitEvent(client.descriptor, POLLOUT)
    }
    awaitEvent(listener.descriptor, POLLIN)
    guard let server = try listener.accept() else {
      Issue.record("nobody connected")
      return
    }
    awaitEvent(server.descriptor, POLLIN)
    #expect(receive(server).transfer == .endOfStream)
  }

  @Test func `a reset reads and writes as failed`() throws {
    let listener = try Socket.listen(on: try loopback())
    do {
      let client = try Socket.connect(to: try local(listener))
      awaitEvent(client.descriptor, POLLOUT)
      client.resetOnClose()
    }
    awaitEvent(listener.descriptor, POLLIN)
    guard let server = try listener.accept() else {
      Issue.record("nobody connected")
      return
    }
    awaitEvent(server.descriptor, POLLIN)
    #expect(receive(server).transfer == .failed(ECONNRESET))
    #expect(send("x", on: server) == .failed(EPIPE))
  }

  @Test func `nobody waiting is not an error`() throws {
    let listener = try Socket.listen(on: try loopback())
    let none = try listener.accept() == nil
    #expect(none)
  }

  @Test func `a refused connection says so`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: 9)[0]
    do {
      let client = try Socket.connect(to: address)
      awaitEvent(client.descriptor, POLLOUT)
      #expect(client.connectError == ECONNREFUSED)
    } catch {
      #expect(error.code == ECONNREFUSED)
    }
  }

  @Test func `a taken port is an error that names the address`() throws {
    let listener = try Socket.listen(on: try loopback())
    let address = try local(listener)
    #expect {
      _ = try Socket.listen(on: address)
    } throws: { error in
      guard let error = error as? SystemError else { return false }
      return error.code == EADDRINUSE && error.operation == "bind" && error.subject == address.description
    }
  }

  @Test func `several listeners share a port when all say so`() throws {
    let first = try Socket.listen(on: try loopback(), reusePort: true)
    let address = try local(first)
    let second = try Socket.listen(on: address, reusePort: true)
    #expect(try local(second) == address)
  }

  @Test func `each end knows both addresses`() throws {
    let pair = try pair()
    #expect(try remote(pair.client) == local(pair.server))
    #expect(try local(pair.client) == remote(pair.server))
    #expect(try remote(pair.server).isLoopback)
    #expect(try local(pair.server).port > 0)
  }

  @Test func `Unix sockets work alike`() throws {
    var template = Array("/tmp/upmc-socket-XXXXXX".utf8CString)
    let directory = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    defer {
      unlink(directory + "/s")
      rmdir(directory)
    }
    let pair = try pair(on: .unix(path: directory + "/s"))
    #expect(send("hello", on: pair.client) == .bytes(5))
    awaitEvent(pair.server.descriptor, POLLIN)
    #expect(receive(pair.server).text == "hello")
    #expect(try remote(pair.client).description == "unix:" + directory + "/s")
    #expect(try remote(pair.server).isLoopback)
  }

  @Test func `options reach the kernel`() throws {
    let pair = try pair()
    pair.server.disableDelay()
    pair.server.keepAlive(idle: .seconds(40), unacknowledged: .milliseconds(1500))
    #expect(option(pair.server, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
    #expect(option(pair.server, SOL_SOCKET, SO_KEEPALIVE) != 0)
    #expect(option(pair.server, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 40)
    #expect(option(pair.server, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 1500)
    #expect(option(pair.client, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
  }

  private func option(_ socket: borrowing Socket, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    #expect(getsockopt(socket.descriptor, level, name, &value, &length) == 0)
    return value
  }
}
