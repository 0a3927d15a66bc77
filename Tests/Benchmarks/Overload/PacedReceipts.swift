internal import Reactor

/// Well-behaved devices: receipts at a steady rate, independent of the responses. A receipt's latency counts from when
/// it was due, so waiting for a free connection is not hidden ("coordinated omission").
struct PacedReceipts {
  struct Report: Sendable {
    var accepted = 0
    /// Refused with 503 or 429.
    var refused = 0
    var failed = 0
    /// Of accepted receipts, in milliseconds.
    var median = 0.0
    var percentile99 = 0.0
    /// Of refused receipts, in milliseconds.
    var refusedPercentile99 = 0.0
  }

  var rate: Int
  /// As many as there are receipts in flight if each takes half a second: a receipt must never wait for a free
  /// connection, or the figure would measure that queue.
  var connections = 512

  /// Sends each of `requests` once, at the rate, to a port of this machine, and waits for the last responses.
  func run(_ requests: [[UInt8]], port: UInt16) throws -> Report {
    let loop = try EventLoop()
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
    let queue = PacedQueue(requests, rate: rate, loop: loop)
    let clients = try (0..<connections).map { _ in try PacedClient(address: address, loop: loop, queue: queue) }
    queue.start(clients)
    let deadline = loop.clock.now + .seconds(requests.count / max(1, rate) + 10)
    while !queue.isDone, loop.clock.now < deadline { loop.turn(atMost: .milliseconds(100)) }
    for client in clients { client.close() }
    return queue.report
  }
}

/// The receipts due, and their results.
private final class PacedQueue {
  private let requests: [[UInt8]]
  private let interval: Int64
  private let loop: EventLoop
  private var start = Instant(nanoseconds: 0)
  private var next = 0
  private var idle: [PacedClient] = []
  private var accepted: [Int64] = []
  private var refused: [Int64] = []
  private var failed = 0

  init(_ requests: [[UInt8]], rate: Int, loop: EventLoop) {
    self.requests = requests
    interval = 1_000_000_000 / Int64(max(1, rate))
    self.loop = loop
  }

  var isDone: Bool { accepted.count + refused.count + failed == requests.count }

  func start(_ clients: [PacedClient]) {
    idle = clients
    start = loop.clock.now
    tick()
  }

  private func tick() {
    hand()
    if !isDone { loop.schedule(after: .milliseconds(1)) { [weak self] in self?.tick() } }
  }

  /// Assigns due receipts to free connections.
  private func hand() {
    let now = loop.clock.now
    while next < requests.count, !idle.isEmpty {
      let due = Instant(nanoseconds: start.nanoseconds + Int64(next) * interval)
      guard due <= now else { return }
      idle.removeLast().send(requests[next], due: due)
      next += 1
    }
  }

  func answered(_ client: PacedClient, status: Int, due: Instant) {
    let taken = loop.clock.now.nanoseconds - due.nanoseconds
    switch status {
    case 200: accepted.append(taken)
    case 503, 429: refused.append(taken)
    default: failed += 1
    }
    idle.append(client)
    hand()
  }

  var report: PacedReceipts.Report {
    var report = PacedReceipts.Report(
      accepted: accepted.count, refused: refused.count, failed: requests.count - accepted.count - refused.count)
    report.median = Self.percentile(50, accepted)
    report.percentile99 = Self.percentile(99, accepted)
    report.refusedPercentile99 = Self.percentile(99, refused)
    return report
  }

  private static func percentile(_ percent: Int, _ nanoseconds: [Int64]) -> Double {
    guard !nanoseconds.isEmpty else { return 0 }
    let index = min(nanoseconds.count - 1, nanoseconds.count * percent / 100)
    return Double(nanoseconds.sorted()[index]) / 1_000_000
  }
}

/// A kept-alive connection with at most one request in flight.
private final class PacedClient: EventLoop.Handler {
  private let address: SocketAddress
  private let loop: EventLoop
  private unowned let queue: PacedQueue
  private var socket: Socket?
  private var registration: EventLoop.Registration?
  private var due: Instant?
  private var received: [UInt8] = []

  init(address: SocketAddress, loop: EventLoop, queue: PacedQueue) throws {
    self.address = address
    self.loop = loop
    self.queue = queue
    try connect()
  }

  private func connect() throws {
    let made = try Socket.connect(to: address)
    let descriptor = made.descriptor
    socket = consume made
    registration = try loop.register(descriptor, interest: .readable, handler: self)
  }

  func send(_ request: [UInt8], due: Instant) {
    self.due = due
    if socket == nil { try? connect() }
    guard case .bytes(request.count)? = socket?.send(request, from: 0) else { return finish(status: 0) }
  }

  func ready(_ readiness: Readiness) {
    switch socket?.receive(appendingTo: &received, atMost: 4_096) {
    case .bytes: break
    case .wouldBlock: return
    default:
      close()
      if due != nil { finish(status: 0) }
      return
    }
    guard let status = Self.completeStatus(received) else { return }
    received.removeAll(keepingCapacity: true)
    finish(status: status)
  }

  private func finish(status: Int) {
    guard let due else { return }
    self.due = nil
    queue.answered(self, status: status, due: due)
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    socket = nil
    received.removeAll()
  }

  /// The status, once the response is complete. Our server sends Content-Length in every response.
  private static func completeStatus(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let headEnd = text.utf8.firstRange(of: "\r\n\r\n".utf8) else { return nil }
    let head = text[..<headEnd.lowerBound]
    let lengthLine = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
    let length = lengthLine.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
    guard text.utf8[headEnd.upperBound...].count >= length else { return nil }
    return Int(head.dropFirst("HTTP/1.1 ".count).prefix(3))
  }
}
