import FoundationEssentials
import Glibc
internal import Reactor
import Synchronization

/// A strict HTTP proxy that supports only CONNECT, like one between a bank and the Internet. It has its own DNS,
/// refuses every request that is not exact, and can be stopped and restarted on the same port.
package final class ConnectProxy: Sendable {
  private struct State {
    var places: [String: UInt16] = [:]
    var refused: [String: Int] = [:]
    /// The value of `Proxy-Authorization` it requires.
    var wanted: String?
    /// Sent instead of a response.
    var words: [UInt8]?
    var asked: [String] = []
    var faults: [String] = []
    var heads: [String] = []
    var open = 0
    var listener: Int32 = -1
    var descriptors: Set<Int32> = []
  }

  private let state = Mutex(State())
  package let port: UInt16

  /// - Parameter places: its DNS: ports of this machine by `host:port`. It reaches nothing else except numeric
  ///   addresses of this machine.
  package init(_ places: [String: UInt16] = [:]) throws {
    let socket = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    port = socket.localAddress?.port ?? 0
    state.withLock { $0.places = places }
    serve(socket.release())
  }

  package var url: String { "http://127.0.0.1:\(port)" }

  /// Adds names for ports of this machine, by `host:port`.
  package func know(_ places: [String: UInt16]) {
    state.withLock { $0.places.merge(places) { $1 } }
  }

  /// Requires these credentials from now on.
  package func want(_ user: String, _ password: String) {
    state.withLock { $0.wanted = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
  }

  /// Refuses CONNECT to this target with a status; nil: opens tunnels again.
  package func refuse(_ authority: String, with status: Int? = 403) {
    state.withLock { $0.refused[authority] = status }
  }

  /// Sends these bytes to every client instead of a response, then nothing more; nil: responds again.
  package func say(_ words: [UInt8]?) {
    state.withLock { $0.words = words }
  }

  /// The targets requested, in order, whatever the response.
  package var asked: [String] { state.withLock { $0.asked } }
  /// Requests that no proxy should get, and tunnel data sent before the tunnel was open.
  package var faults: [String] { state.withLock { $0.faults } }
  /// The request heads as received.
  package var heads: [String] { state.withLock { $0.heads } }
  /// Number of open tunnels.
  package var open: Int { state.withLock { $0.open } }

  /// Stops: resets open connections and refuses new ones.
  package func die() {
    state.withLock { state in
      for descriptor in state.descriptors {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
      }
      // The thread that waits for a connection wakes up, and closes it.
      if state.listener >= 0 { _ = shutdown(state.listener, Int32(SHUT_RDWR)) }
      state.listener = -1
    }
  }

  /// Restarts on the same port.
  package func comeBack() throws {
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
    // The thread that closes the former listener may not have come to it yet.
    let listener = try poll("its port is not free again") { () -> Int32? in
      if let socket = try? Socket.listen(on: address) { return socket.release() }
      return nil
    }
    serve(listener)
  }

  package func close() { die() }

  private func serve(_ listener: Int32) {
    // Accepted by a thread that may wait.
    _ = fcntl(listener, F_SETFL, 0)
    state.withLock { $0.listener = listener }
    _ = try? Thread(name: "connect") {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, self.admit(client, by: listener) else {
          if client >= 0 { Glibc.close(client) }
          break
        }
        _ = try? Thread(name: "connect-way") { self.answer(client) }
      }
      Glibc.close(listener)
    }
  }

  /// Notes a client, so that `die` ends its connection; false when it has died already.
  private func admit(_ client: Int32, by listener: Int32) -> Bool {
    state.withLock { state in
      guard state.listener == listener else { return false }
      state.descriptors.insert(client)
      return true
    }
  }

  // MARK: One client

  private func answer(_ client: Int32) {
    guard let head = readHead(client) else { return end(client) }
    let (status, place) = verdict(on: head)
    if let words = state.withLock({ $0.words }) {
      _ = send(words[...], to: client)
      // Until the other side has had enough.
      var byte: UInt8 = 0
      while read(client, &byte, 1) > 0 {}
      return end(client)
    }
    guard status == 200, let place, let server = connect(to: place) else {
      let status = status == 200 ? 502 : status
      let more = status == 407 ? "Proxy-Authenticate: Basic realm=\"bank\"\r\n" : ""
      say("HTTP/1.1 \(status) No\r\n\(more)Content-Length: 2\r\nConnection: close\r\n\r\nno", to: client)
      return end(client)
    }
    state.withLock { state in
      state.open += 1
      _ = state.descriptors.insert(server)
    }
    say("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\r\n", to: client)
    let ended = Ended()
    _ = try? Thread(name: "connect-in") { self.pump(from: server, to: client, ended) }
    pump(from: client, to: server, ended)
  }

  /// The request head, byte for byte; nil if there is none.
  private func readHead(_ client: Int32) -> String? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    let end = Array("\r\n\r\n".utf8)
    while !bytes.suffix(4).elementsEqual(end), bytes.count < 16_384 {
      let count = read(client, &piece, piece.count)
      guard count > 0 else { return nil }
      bytes += piece[..<count]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    state.withLock { state in
      state.heads.append(text)
      if !bytes.suffix(4).elementsEqual(end) { state.faults.append("no end of the head: \(text.prefix(200))") }
    }
    return text
  }

  private func verdict(on head: String) -> (status: Int, place: UInt16?) {
    // CR LF is one character.
    let lines = head.dropLast(2).split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return state.withLock { state in
      guard words.count == 3, words[0] == "CONNECT", words[2] == "HTTP/1.1",
        lines.dropFirst().first == "Host: \(words[1])", lines.count <= 3
      else {
        state.faults.append(head)
        return (400, nil)
      }
      state.asked.append(words[1])
      let given = lines.count == 3 ? lines[2] : nil
      guard given == state.wanted.map({ "Proxy-Authorization: \($0)" }) else { return (407, nil) }
      if let status = state.refused[words[1]] { return (status, nil) }
      if let place = state.places[words[1]] { return (200, place) }
      let isHere = words[1].hasPrefix("127.0.0.1:")
      return (isHere ? 200 : 502, isHere ? UInt16(words[1].dropFirst("127.0.0.1:".count)) : nil)
    }
  }

  private func connect(to port: UInt16) -> Int32? {
    guard let address = try? SocketAddress.resolve(host: "127.0.0.1", port: port).first,
      let socket = try? Socket.connect(to: address)
    else { return nil }
    let server = socket.release()
    var poll = pollfd(fd: server, events: Int16(POLLOUT), revents: 0)
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard Glibc.poll(&poll, 1, 300_000) == 1, getsockopt(server, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0
    else {
      Glibc.close(server)
      return nil
    }
    _ = fcntl(server, F_SETFL, 0)
    return server
  }

  /// Closes both descriptors when the second direction has ended.
  private final class Ended: Sendable {
    let count = Atomic(0)
  }

  private func pump(from source: Int32, to target: Int32, _ ended: Ended) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0, send(buffer[..<count], to: target) else { break }
    }
    _ = shutdown(source, Int32(SHUT_RDWR))
    _ = shutdown(target, Int32(SHUT_RDWR))
    guard ended.count.add(1, ordering: .relaxed).newValue == 2 else { return }
    state.withLock { $0.open -= 1 }
    end(source)
    end(target)
  }

  private func end(_ descriptor: Int32) {
    state.withLock { state in
      if state.descriptors.remove(descriptor) != nil { Glibc.close(descriptor) }
    }
  }

  private func say(_ text: String, to client: Int32) {
    _ = send(Array(text.utf8)[...], to: client)
  }

  private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
