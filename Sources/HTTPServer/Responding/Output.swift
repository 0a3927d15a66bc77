internal import Reactor

/// A connection's unsent output: a buffer with heads and small bodies, followed by at most one large body that is sent
/// without being copied. One owner; a struct for the reason given at `RequestStore`.
struct Output: ~Copyable {
  var buffer = ByteBuffer(capacity: HTTPLimits.idleOutputBytes)
  private var detached: [UInt8] = []
  private var detachedSent = 0

  init() {}

  /// Number of bytes that the kernel has not accepted yet.
  var count: Int { buffer.count + detached.count - detachedSent }

  /// Appends a body. While a large one is unsent, the caller must not append a further response.
  mutating func append(body: [UInt8]) {
    if body.count >= HTTPLimits.detachedBodyBytes {
      detached = body
      detachedSent = 0
    } else {
      buffer.append(body)
    }
  }

  /// Moves the rest of a large body into the buffer, so that more can be appended.
  mutating func reattach() {
    guard !detached.isEmpty else { return }
    buffer.append(Array(detached[detachedSent...]))
    detached = []
    detachedSent = 0
  }

  /// Sends once, or twice if a large body follows. Returns false if the connection is lost.
  mutating func send(over transport: Transport) -> Bool {
    if !buffer.isEmpty {
      guard case .progress = Self.judge(transport.send(&buffer)) else { return false }
    }
    guard buffer.isEmpty, detachedSent < detached.count else { return true }
    let transfer = transport.send(detached, from: detachedSent)
    guard case .progress = Self.judge(transfer) else { return false }
    if case .bytes(let count) = transfer { detachedSent += count }
    if detachedSent == detached.count {
      detached = []
      detachedSent = 0
    }
    return true
  }

  private enum Judgement { case progress, lost }

  private static func judge(_ transfer: Socket.Transfer) -> Judgement {
    switch transfer {
    case .bytes, .wouldBlock: .progress
    case .endOfStream, .failed: .lost
    }
  }

  /// Releases a large buffer if it is empty.
  mutating func trim() {
    if count == 0, buffer.allocatedBytes > HTTPLimits.idleBufferBytes { self = Output() }
  }
}
