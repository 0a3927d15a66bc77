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
    /// Strings a client must send in turn before the next response to it is lost; empty: none is lost.
    var fatalWords: [String] = []
    var lost = 0
    /// Strings after which, once a client has sent them, nothing passes any more.
    var lastWords: [String] = []
    var isClosed = false
    var descriptors: Set<Int32> = []
  }

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

  /// The same once a client has sent these strings in turn, which are still passed on.
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

  /// Once a client has sent these strings in turn, the server executes the request, and its response is lost with the
  /// connection.
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
    guard code == 0, !state.withLock({ $0.isRefusing }) else {
      Glibc.close(client)
      Glibc.close(server)
      return
    }
    state.withLock { $0.descriptors.formUnion([client, server]) }
    let doom = Doom()
    _ = try? Thread(name: "proxy-out") { self.pump(from: client, to: server, isFromClient: true, doom) }
    _ = try? Thread(name: "proxy-in") { self.pump(from: server, to: client, isFromClient: false, doom) }
  }

  /// State shared by the two directions of a connection.
  private final class Doom: Sendable {
    /// Whether the next answer is to be lost.
    let isOn = Atomic(false)
    /// Number of directions that have ended.
    let ended = Atomic(0)
  }

  private func pump(from source: Int32, to target: Int32, isFromClient: Bool, _ doom: Doom) {
    let pause = try? Wakeup()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      let (isSilent, delay) = state.withLock { ($0.isSilent, $0.delay) }
      if isSilent { continue }
      if delay > .zero { _ = pause?.wait(atMost: delay) }
      if isFromClient {
        if hasSaidAll(buffer[..<count]) { doom.isOn.store(true, ordering: .sequentiallyConsistent) }
      } else if doom.isOn.load(ordering: .sequentiallyConsistent) {
        state.withLock { $0.lost += 1 }
        break
      }
      // Before the server hears them: it may answer at once.
      if isFromClient { silenceAtLastWords(buffer[..<count]) }
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
      let count = write(target, rest, rest.count)
      guard count > 0 else { return false }
      rest.removeFirst(count)
    }
    return true
  }

  private func silenceAtLastWords(_ bytes: ArraySlice<UInt8>) {
    state.withLock { state in
      guard !state.lastWords.isEmpty else { return }
      let text = String(decoding: bytes, as: UTF8.self)
      while let word = state.lastWords.first, text.contains(word) { state.lastWords.removeFirst() }
      if state.lastWords.isEmpty { state.isSilent = true }
    }
  }

  /// True at the last of the fatal words, once.
  private func hasSaidAll(_ bytes: ArraySlice<UInt8>) -> Bool {
    state.withLock { state in
      guard !state.fatalWords.isEmpty else { return false }
      let text = String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
      while let word = state.fatalWords.first, text.contains(word) { state.fatalWords.removeFirst() }
      return state.fatalWords.isEmpty
    }
  }
}
