internal import DequeModule
package import Reactor
internal import TLS

/// A small HTTP/1.1 client on an event loop: for webhooks, virtual devices, the command line and tests.
///
/// ```
///   send(request) ──► queue ──► idle connection, or a new one (up to a limit) ──► one request at a time, kept alive
///                       ▲                │
///                       │                ├ lost before any byte of the response, and safe to retry: queued again, once
///                       └────────────────┘ otherwise: an error, once
/// ```
///
/// One origin per client, with one or more addresses: what cannot be reached at one is sent to the next.
/// Lives on its loop's thread; completions run there, never inside `send`, exactly once each.
/// Requests are sent in the order given, as connections become free; responses arrive in the server's order.
///
/// **Retries**: a server may close a kept-alive connection just as we write. The client retries a request by itself
/// only if no byte of a response has arrived, and if either none of the request was sent or a retry does no harm
/// (`HTTPRequest.isRepeatable`). Everything else is `.lost`: the server may have executed it, and the caller decides.
///
/// **Failure**: a response that cannot be framed with certainty is `.malformed` and ends its connection; every wait
/// ends at the request's own deadline. No server can block the loop: a turn reads a bounded part of the input, and
/// whatever a server sends before, around and after a response is bounded too (`HTTPClientLimits`). Only
/// `ClientTransport` knows about TLS.
package final class HTTPClient {
  package struct Configuration: Sendable {
    /// Maximum number of connections.
    package var connections = 8
    /// Time from `send` to the complete response, including queueing, unless the request overrides it.
    package var timeout = Duration.seconds(30)
    /// Time for which an idle connection is kept open: less than servers usually allow (60 s or more).
    package var idleTimeout = Duration.seconds(30)
    /// Maximum number of requests waiting for a connection; further ones are refused.
    package var waitingRequests = HTTPClientLimits.waitingRequests
    /// Maximum size of a response body in bytes; a larger response is malformed, unless `cutsBody` is true.
    package var bodyBytes = HTTPClientLimits.bodyBytes
    /// True for a caller to whom bodies do not matter: of one that is too long the rest is not read, and the connection
    /// is closed.
    package var cutsBody = false

    /// The TLS context and the server name to verify; nil for plain HTTP.
    package var security: HTTPClientSecurity?

    /// The proxy tunnel to use, in which case the origin's address is the proxy's; nil for a direct connection.
    package var tunnel: ProxyTunnel?

    /// The bytes sent on each connection before anything else, even TLS: the PROXY protocol header, for tests.
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
  /// The place of `address` among the origin's addresses.
  private var place = 0

  package init(_ origin: HTTPOrigin, loop: EventLoop, configuration: Configuration = Configuration()) {
    self.origin = origin
    self.loop = loop
    self.configuration = configuration
  }

  /// Sends a request as soon as a connection is free.
  /// - Parameters:
  ///   - timeout: time until the response is complete; nil for the configured one.
  ///   - completion: called exactly once, on the loop's thread, after this call has returned.
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

  /// The number of requests queued or in flight.
  package var pendingCount: Int { waiting.count + open.count - idle.count }

  /// The number of connections that are open or being opened.
  package var connectionCount: Int { open.count }

  /// Closes all connections. Queued requests and those in flight fail with `.closed`.
  package func close() {
    isClosed = true
    for connection in Array(open.values) { connection.fail(.closed) }
    while let pending = waiting.popFirst() { pending.completion(.failure(.closed)) }
  }

  // MARK: Connections

  /// Schedules the queued requests to be sent outside the caller's stack, because `send` may be called from a
  /// completion.
  private func kick() {
    guard !isKicked else { return }
    isKicked = true
    // The timer retains the client, so that every accepted request gets its completion.
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
      guard !sendElsewhere(pending, than: address) else { return }
      pending.completion(.failure(noConnection(error.description)))
    }
  }

  /// The address that new connections are opened to.
  var address: SocketAddress { origin.addresses[place] }

  /// Queues a request again for the origin's next address, because this one cannot be reached and nothing was sent.
  /// Returns false, without queueing it, if it was tried at all of them.
  func sendElsewhere(_ pending: PendingRequest, than address: SocketAddress) -> Bool {
    // Another connection may have turned away from the address already.
    if address == self.address { place = (place + 1) % origin.addresses.count }
    var pending = pending
    pending.addressesTried += 1
    guard pending.addressesTried < origin.addresses.count else { return false }
    waiting.prepend(pending)
    kick()
    return true
  }

  /// Returns the error for a failed connection attempt; with a tunnel, the attempt was one to the proxy.
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

  /// Retries a request whose kept-alive connection was lost before a response.
  func sendAgain(_ pending: PendingRequest) {
    var pending = pending
    pending.wasRepeated = true
    waiting.prepend(pending)
    kick()
  }

  // MARK: Timeouts

  /// Checks timeouts periodically, as long as requests are pending.
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
    // Timeouts may differ, so check every queued request. If the queue is long, most of its requests are late anyway.
    guard waiting.contains(where: { $0.deadline <= now }) else { return }
    let late = waiting.filter { $0.deadline <= now }
    waiting.removeAll { $0.deadline <= now }
    for pending in late { pending.completion(.failure(.timedOut)) }
  }
}
