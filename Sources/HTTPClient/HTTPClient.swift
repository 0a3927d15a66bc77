internal import DequeModule
package import Reactor
internal import TLS

/// A small HTTP/1.1 client on an event loop: for webhooks, virtual devices, the command line and tests.
///
/// ```
///   send(request) ──► queue ──► idle connection, or a new one (up to a limit) ──► one request at a time, kept alive
///                       ▲                │
///                       │                ├ lost before any byte of the answer, and safe to repeat: back to the queue, once
///                       └────────────────┘ otherwise: an error, once
/// ```
///
/// One origin per client. Lives on its loop's thread; completions run there, never inside `send`, exactly once each.
/// Requests leave in the order given, as connections become free; answers come in the order of the server.
///
/// **Repeating**: a connection that was kept alive may be closed by the server just as we write. A request is sent again
/// by itself only when not a byte of an answer has come, and only when none of it had been sent or repeating does no
/// harm (`HTTPRequest.isRepeatable`). Everything else is `.lost`: it may have been carried out, and the caller decides.
///
/// **Failure**: an answer that cannot be framed with certainty is `.malformed` and ends its connection; every wait ends
/// with the request's own deadline. No server can hold the loop: a turn reads a bounded part of what has come, and what
/// servers may say ahead of an answer, around it and behind it is bounded too (`HTTPClientLimits`). TLS is `ClientTransport`'s
/// business and nobody else's.
package final class HTTPClient {
  package struct Configuration: Sendable {
    /// Most connections at once.
    package var connections = 8
    /// From `send` to the whole answer, waiting included, unless the request says otherwise.
    package var timeout = Duration.seconds(30)
    /// How long an idle connection is kept. Below what servers usually allow (60 s and more).
    package var idleTimeout = Duration.seconds(30)
    /// Requests that may wait for a connection; more are refused.
    package var waitingRequests = HTTPClientLimits.waitingRequests
    /// Bytes of an answer's body; a longer one is malformed.
    package var bodyBytes = HTTPClientLimits.bodyBytes

    /// TLS and the name that the server must prove; nil for plain HTTP.
    package var security: HTTPClientSecurity?

    /// The way through a proxy, whose address the origin then has; nil for the straight one.
    package var tunnel: ProxyTunnel?

    /// Sent on each connection before anything else, TLS too: the PROXY protocol.
    package var preamble: [UInt8] = []

    package init() {}
  }

  package typealias Completion = (Result<HTTPResponse, HTTPClientError>) -> Void

  let loop: EventLoop
  let origin: HTTPOrigin
  let configuration: Configuration
  private var waiting = Deque<PendingRequest>()
  private var idle: [ClientConnection] = []
  private var open: [ObjectIdentifier: ClientConnection] = [:]
  private var isClosed = false
  private var isKicked = false
  private var isWatching = false

  package init(_ origin: HTTPOrigin, loop: EventLoop, configuration: Configuration = Configuration()) {
    self.origin = origin
    self.loop = loop
    self.configuration = configuration
  }

  /// Sends a request when a connection is free.
  /// - Parameters:
  ///   - timeout: from now to the whole answer; nil for the configuration's.
  ///   - completion: called once, on the loop's thread, after this call has returned.
  package func send(_ request: HTTPRequest, timeout: Duration? = nil, completion: @escaping Completion) {
    if let reason = refusal(of: request) {
      loop.schedule(after: .zero) { completion(.failure(.refused(reason))) }
      return
    }
    let deadline = loop.clock.now + (timeout ?? configuration.timeout)
    waiting.append(PendingRequest(request: request, deadline: deadline, completion: completion))
    kick()
    watch()
  }

  private func refusal(of request: HTTPRequest) -> String? {
    if isClosed { return "the client is closed" }
    if waiting.count >= configuration.waitingRequests { return "too many requests wait" }
    return request.isWellFormed ? nil : "the request holds characters that HTTP does not allow"
  }

  /// Requests that wait or are under way.
  package var pendingCount: Int { waiting.count + open.count - idle.count }

  /// Connections that are open or being opened.
  package var connectionCount: Int { open.count }

  /// Ends all connections; what is under way or waits fails with `.closed`.
  package func close() {
    isClosed = true
    for connection in Array(open.values) { connection.fail(.closed) }
    while let pending = waiting.popFirst() { pending.completion(.failure(.closed)) }
  }

  // MARK: Connections

  /// Hands out what waits, outside of whoever asks: `send` may be called from a completion.
  private func kick() {
    guard !isKicked else { return }
    isKicked = true
    // The timer keeps the client alive: a request that was taken gets its completion.
    loop.schedule(after: .zero) { [self] in
      isKicked = false
      assign()
    }
  }

  private func assign() {
    while !waiting.isEmpty, !isClosed {
      if let connection = idle.popLast() {
        connection.begin(waiting.removeFirst())
      } else if open.count < configuration.connections {
        connect(for: waiting.removeFirst())
      } else {
        return
      }
    }
  }

  private func connect(for pending: PendingRequest) {
    do throws(SystemError) {
      let connection = try ClientConnection(client: self)
      open[ObjectIdentifier(connection)] = connection
      connection.begin(pending)
    } catch {
      pending.completion(.failure(noConnection(error.description)))
    }
  }

  /// What could not be connected to is the proxy, where the way goes through one.
  func noConnection(_ reason: String) -> HTTPClientError {
    configuration.tunnel.map { .noTunnel(TunnelFault(reason: $0.naming(reason))) } ?? .unreachable(reason)
  }

  func becameIdle(_ connection: ClientConnection) {
    idle.append(connection)
    if !waiting.isEmpty { kick() }
  }

  func ended(_ connection: ClientConnection) {
    open[ObjectIdentifier(connection)] = nil
    idle.removeAll { $0 === connection }
    if !waiting.isEmpty { kick() }
  }

  /// A kept-alive connection died before it answered: that says nothing about the request.
  func sendAgain(_ pending: PendingRequest) {
    var pending = pending
    pending.wasRepeated = true
    waiting.prepend(pending)
    kick()
  }

  // MARK: Patience

  /// Looks at the deadlines now and then, only while there are any.
  private func watch() {
    guard !isWatching else { return }
    isWatching = true
    loop.schedule(after: HTTPClientLimits.timeoutStep) { [self] in
      isWatching = false
      checkTimeout(loop.now)
      if !open.isEmpty || !waiting.isEmpty { watch() }
    }
  }

  private func checkTimeout(_ now: Instant) {
    for connection in Array(open.values) { connection.checkTimeout(now) }
    // Deadlines may differ, so all of them are looked at; the queue is short, or its requests are late anyway.
    guard waiting.contains(where: { $0.deadline <= now }) else { return }
    let late = waiting.filter { $0.deadline <= now }
    waiting.removeAll { $0.deadline <= now }
    for pending in late { pending.completion(.failure(.timedOut)) }
  }
}
