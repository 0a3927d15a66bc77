internal import Reactor
internal import Synchronization

/// Clients that hold connections and send almost nothing: one byte of a header every few seconds, like a cheap attack
/// ("Slowloris") or a phone in a lift. A client that is disconnected reconnects.
final class SlowClients: Sendable {
  enum Limits {
    /// Interval between two bytes: short enough to stay below every idle timeout.
    static let pause = Duration.seconds(5)
    /// Connections started at once.
    static let burst = 500
  }

  private let stopper: EventLoop.Stopper
  private let held = Atomic<Int>(0)

  /// Connects all clients; returns once all are connected.
  init(_ count: Int, port: UInt16) throws {
    let needed = count + 1_000
    guard DescriptorLimit.raise() >= needed else {
      throw MeasuringError("\(count) connections need \(needed) open files: raise the limit (ulimit -n -H \(needed))")
    }
    let started = try Inbox<Result<EventLoop.Stopper, MeasuringError>>(capacity: 1)
    // The thread cannot reach `held` before this object is fully initialised.
    let opened = try Inbox<Int>(capacity: 1_000)
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
    _ = try Thread(name: "slow") {
      do {
        let loop = try EventLoop()
        let crowd = SlowCrowd(count, address: address, loop: loop) { _ = opened.offer($0) }
        _ = started.offer(.success(loop.stopper))
        loop.run()
        crowd.close()
      } catch {
        _ = started.offer(.failure(MeasuringError("slow clients: \(error)")))
      }
    }
    guard let outcome = started.receive(atMost: .seconds(10)).first else {
      throw MeasuringError("the slow clients did not start")
    }
    stopper = try outcome.get()
    let deadline = SystemClock().now + .seconds(60)
    while held.load(ordering: .relaxed) < count {
      if let last = opened.receive(atMost: .seconds(1)).last { held.store(last, ordering: .relaxed) }
      guard SystemClock().now < deadline else {
        throw MeasuringError("only \(held.load(ordering: .relaxed)) of \(count) slow connections could be opened")
      }
    }
  }

  func stop() { stopper.stop() }
}

/// All slow clients of one loop.
private final class SlowCrowd {
  private let loop: EventLoop
  private let address: SocketAddress
  private let report: (Int) -> Void
  private var clients: [SlowClient] = []
  private let count: Int
  private var next = 0

  init(_ count: Int, address: SocketAddress, loop: EventLoop, report: @escaping (Int) -> Void) {
    self.count = count
    self.address = address
    self.loop = loop
    self.report = report
    grow()
  }

  private func grow() {
    for _ in 0..<min(SlowClients.Limits.burst, count - clients.count) {
      let client = SlowClient(address: address, loop: loop)
      client.connect()
      clients.append(client)
    }
    report(clients.count { $0.isConnected })
    if clients.count < count {
      loop.schedule(after: .milliseconds(20)) { [unowned self] in grow() }
    } else {
      drip()
    }
  }

  /// Sends a byte on a hundredth of the connections at a time.
  private func drip() {
    let share = max(1, count / 100)
    for _ in 0..<share {
      next = (next + 1) % clients.count
      clients[next].drip()
    }
    report(clients.count { $0.isConnected })
    loop.schedule(after: SlowClients.Limits.pause / 100) { [unowned self] in drip() }
  }

  func close() { for client in clients { client.close() } }
}

private final class SlowClient: EventLoop.Handler {
  private let address: SocketAddress
  private let loop: EventLoop
  private var socket: Socket?
  private var registration: EventLoop.Registration?

  init(address: SocketAddress, loop: EventLoop) {
    self.address = address
    self.loop = loop
  }

  var isConnected: Bool { socket != nil }

  func connect() {
    guard let made = try? Socket.connect(to: address) else { return }
    let descriptor = made.descriptor
    socket = consume made
    registration = try? loop.register(descriptor, interest: .readable, handler: self)
    let head = "POST /v1/receipts HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    _ = socket?.send(Array(head.utf8), from: 0)
  }

  func drip() {
    if isConnected { _ = socket?.send([UInt8(ascii: "x")], from: 0) } else { connect() }
  }

  /// The server has disconnected it or has responded.
  func ready(_ readiness: Readiness) {
    var buffer = ByteBuffer()
    switch socket?.receive(into: &buffer) {
    case .bytes, .wouldBlock: return
    default: close()
    }
  }

  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
    socket = nil
  }
}
