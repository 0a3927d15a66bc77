import Glibc
internal import Reactor
import Synchronization

/// A proxy to the test cluster on its own port that can go silent, slow down, or lose a response, like a vanished
/// machine, a long line, or a connection cut at the wrong moment.
package final class DatabaseProxy: Sendable {
  private struct State {
    var isSilent = false
    var isRefusing = false
    var delay: Duration = .zero
    /// Strings that a connection must send in turn before the response to them is lost; empty: none is lost.
    var fatalWords: [String] = []
    var lost = 0
    /// Strings after which, once a connection has sent them in turn, nothing passes any more.
    var lastWords: [String] = []
    var isClosed = false
    var descriptors: Set<Int32> = []
  }

  /// The server's message that no transaction is open.
  private static let readyForQuery: [UInt8] = [UInt8(ascii: "Z"), 0, 0, 0, 5, UInt8(ascii: "I")]

  private let state = Mutex(State())
  private let socketPath: String
  private let listener: Int32
  package let port: UInt16

  package convenience init(_ cluster: TestCluster = .shared) throws {
    try self.init(socketDirectory: cluster.directory)
  }

  /// - Parameter socketDirectory: where the server listens.
  package init(socketDirectory: String) throws {
    socketPath = socketDirectory + "/.s.PGSQL.5432"
    let socket = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    port = socket.localAddress?.port ?? 0
    listener = socket.release()
    // Accepted by a thread that may wait.
    _ = fcntl(listener, F_SETFL, 0)
    _ = try Thread(name: "proxy") {
      while let client = self.accept() { self.connect(client) }
    }
  }

  /// The URL of the same database through this proxy.
  package func url(of database: TestDatabase) -> String { url(of: database.name, as: "postgres") }

  package func url(of database: String, as role: String) -> String {
    "postgresql://\(role)@127.0.0.1:\(port)/\(database)?sslmode=disable&gssencmode=disable"
  }

  /// Drops all traffic in both directions without ending or resetting connections.
  package func fallSilent() { state.withLock { $0.isSilent = true } }

  /// The same once one connection has sent these strings in turn, which are still passed on.
  package func fallSilent(after words: String, then more: String...) {
    state.withLock { $0.lastWords = [words] + more }
  }

  /// Closes all connections; accepts new ones.
  package func cut() {
    state.withLock { state in
      for descriptor in state.descriptors { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
      state.isSilent = false
    }
  }

  /// Closes all connections, and new ones at once, as a database that is stopped does; false accepts them again.
  package func refuse(_ isRefusing: Bool) {
    state.withLock { $0.isRefusing = isRefusing }
    if isRefusing { cut() }
  }

  package var isSilent: Bool { state.withLock { $0.isSilent } }

  /// Passes traffic again; what was dropped stays lost.
  package func speak() { state.withLock { $0.isSilent = false } }

  /// Delays each direction by `time` from now on.
  package func delay(_ time: Duration) { state.withLock { $0.delay = time } }

  /// Once one connection has sent these strings in turn, the server executes the request, and its response is lost with
  /// the connection; it happens once. The last string must belong to what ends a transaction: the connection lasts until
  /// the server says that none is open, because it gives up a transaction whose client has left.
  package func loseAnswer(to words: [String]) { state.withLock { $0.fatalWords = words } }

  /// Number of lost responses.
  package var lost: Int { state.withLock { $0.lost } }

  /// Closes all connections and accepts no more.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for descriptor in state.descriptors { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    _ = shutdown(listener, Int32(SHUT_RDWR))
  }

  private func accept() -> Int32? {
    let client = Glibc.accept(listener, nil, nil)
    return client >= 0 && !state.withLock { $0.isClosed } ? client : nil
  }

  private func connect(_ client: Int32) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // One look and no two: a connection that came just before all are closed must not outlast that.
    let isTaken = state.withLock { state in
      guard code == 0, !state.isRefusing, !state.isClosed else { return false }
      state.descriptors.formUnion([client, server])
      return true
    }
    guard isTaken else {
      Glibc.close(client)
      Glibc.close(server)
      return
    }
    let doom = Doom()
    _ = try? Thread(name: "proxy-out") { self.pump(from: client, to: server, isFromClient: true, doom) }
    _ = try? Thread(name: "proxy-in") { self.pump(from: server, to: client, isFromClient: false, doom) }
  }

  /// State shared by the two directions of a connection.
  private final class Doom: Sendable {
    /// Whether the next answer is to be lost.
    let isOn = Atomic(false)
    /// Number of fatal words that the client has sent.
    let saidFatal = Atomic(0)
    /// Number of last words that the client has sent.
    let saidLast = Atomic(0)
    /// Number of directions that have ended.
    let ended = Atomic(0)
  }

  private func pump(from source: Int32, to target: Int32, isFromClient: Bool, _ doom: Doom) {
    let pause = try? Wakeup()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var lostBytes: [UInt8] = []
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      let (isSilent, delay) = state.withLock { ($0.isSilent, $0.delay) }
      if isSilent { continue }
      if delay > .zero { _ = pause?.wait(atMost: delay) }
      if isFromClient {
        if hasSaidAll(\.fatalWords, in: buffer[..<count], doom.saidFatal) {
          doom.isOn.store(true, ordering: .sequentiallyConsistent)
        }
      } else if doom.isOn.load(ordering: .sequentiallyConsistent) {
        lostBytes = lostBytes.suffix(Self.readyForQuery.count) + buffer[..<count]
        guard lostBytes.suffix(Self.readyForQuery.count) == Self.readyForQuery[...] else { continue }
        state.withLock { $0.lost += 1 }
        break
      }
      // Before the server hears them: it may answer at once.
      if isFromClient, hasSaidAll(\.lastWords, in: buffer[..<count], doom.saidLast) { fallSilent() }
      guard send(buffer[..<count], to: target) else { break }
    }
    state.withLock { state in
      // A silent proxy does not pass on the end of a connection either.
      if !state.isSilent {
        _ = shutdown(source, Int32(SHUT_RDWR))
        _ = shutdown(target, Int32(SHUT_RDWR))
      }
      guard doom.ended.add(1, ordering: .relaxed).newValue == 2 else { return }
      for descriptor in [source, target] where state.descriptors.remove(descriptor) != nil { Glibc.close(descriptor) }
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = Array(bytes)
    while !rest.isEmpty {
      // Not `write`: a peer that is gone must not end the tests with SIGPIPE.
      let count = Glibc.send(target, rest, rest.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      rest.removeFirst(count)
    }
    return true
  }

  /// True when a connection sends the last of these words; only for the first one that does.
  private func hasSaidAll(
    _ words: WritableKeyPath<State, [String]>, in bytes: ArraySlice<UInt8>, _ said: borrowing Atomic<Int>
  ) -> Bool {
    state.withLock { state in
      guard !state[keyPath: words].isEmpty else { return false }
      let text = String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
      var count = said.load(ordering: .relaxed)
      while count < state[keyPath: words].count, text.contains(state[keyPath: words][count]) { count += 1 }
      said.store(count, ordering: .relaxed)
      guard count == state[keyPath: words].count else { return false }
      state[keyPath: words] = []
      return true
    }
  }
}
