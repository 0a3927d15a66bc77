package import Reactor
internal import DequeModule

/// A small HTTP/1.1 client on an event loop: for webhooks, virtual devices and tests.
///
/// ```
///   send(request) ──► queue ──► idle connection, or a new one (up to a limit) ──► one request at a time, kept alive
///                                        │ lost before any byte of the answer, and it had served before:
///                                        │ the request goes back to the front of the queue, once
///                                        └ otherwise: an error, once
/// ```
///
/// One origin per client. Lives on its loop's thread; completions run there, never inside `send`, exactly once each.
/// A connection that was kept alive may be closed by the server just as we write: only then is a request sent again by
/// itself, and only when not a byte of an answer has come. Plain HTTP; TLS would go between `ClientConnection` and its
/// socket.
package final class HTTPClient {
  package enum Limits {
    /// Bytes of an answer's status line and headers.
    static let headBytes = 65_536
    /// Bytes of an answer's body.
    static let bodyBytes = 16 << 20
    /// Requests that may wait for a connection.
    package static let waitingRequests = 100_000
  }

  package struct Configuration: Sendable {
    /// Most connections at once.
    package var connections = 8
    /// From `send` to the whole answer, waiting included.
    package var timeout = Duration.seconds(30)

    package init() {}
  }

  package typealias Completion = (Result<HTTPResponse, HTTPClientError>) -> Void

  struct Pending {
    let request: HTTPRequest
    let deadline: Instant
    let completion: Completion
    /// True when a kept-alive connection has died under it already.
    var wasRepeated = false
  }

  let loop: EventLoop
  let origin: HTTPOrigin
  private let configuration: Configuration
  private var waiting = Deque<Pending>()
  private var idle: [ClientConnection] = []
  private var open: [ObjectIdentifier: ClientConnection] = [:]
  private var isClosed = false
  private var isKicked = false

  package init(_ origin: HTTPOrigin, loop: EventLoop, configuration: Configuration = Configuration()) {
    self.origin = origin
    self.loop = loop
    self.configuration = configuration
    watch()
  }

  /// Sends a request when a connection is free.
  package func send(_ request: HTTPRequest, completion: @escaping Completion) {
    guard !isClosed, waiting.count < Limits.waitingRequests else {
      loop.schedule(after: .zero) { completion(.failure(.refused("too many requests wait, or the client is closed"))) }
      return
    }
    waiting.append(Pending(request: request, deadline: loop.now + configuration.timeout, completion: completion))
    guard !isKicked else { return }
    isKicked = true
    loop.schedule(after: .zero) { [weak self] in
      self?.isKicked = false
      self?.assign()
    }
  }

  /// Requests that wait or are under way.
  package var pendingCount: Int { waiting.count + open.count - idle.count }

  /// Ends all connections; what is under way or waits fails.
  package func close() {
    isClosed = true
    for connection in open.values { connection.fail(.closed) }
    while let pending = waiting.popFirst() { pending.completion(.failure(.closed)) }
  }

  // MARK: Connections

  private func assign() {
    while !waiting.isEmpty, !isClosed {
      if let connection = idle.popLast() {
        connection.begin(waiting.removeFirst())
      } else if open.count < configuration.connections {
        connect()
      } else {
        return
      }
    }
  }

  private func connect() {
    do throws(SystemError) {
      let connection = try ClientConnection(client: self)
      open[ObjectIdentifier(connection)] = connection
      connection.begin(waiting.removeFirst())
    } catch {
      let pending = waiting.removeFirst()
      pending.completion(.failure(.unreachable(error.description)))
    }
  }

  func becameIdle(_ connection: ClientConnection) {
    idle.append(connection)
    assign()
  }

  func ended(_ connection: ClientConnection) {
    open[ObjectIdentifier(connection)] = nil
    idle.removeAll { $0 === connection }
    assign()
  }

  /// A kept-alive connection died before it answered: that says nothing about the request.
  func repeatLater(_ pending: Pending) {
    var pending = pending
    pending.wasRepeated = true
    waiting.prepend(pending)
  }

  // MARK: Patience

  private func watch() {
    loop.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self, !self.isClosed else { return }
      let now = self.loop.now
      for connection in self.open.values { connection.checkPatience(now) }
      while let first = self.waiting.first, first.deadline <= now {
        self.waiting.removeFirst().completion(.failure(.timedOut))
      }
      self.watch()
    }
  }
}
