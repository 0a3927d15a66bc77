internal import Reactor

/// What a connection still has to send: a buffer of heads and small bodies, followed by at most one large body that is
/// sent without a copy. One owner; a sequence of operations is one access (see `RequestStore`).
struct Output: ~Copyable {
  var buffer = ByteBuffer(capacity: HTTPLimits.idleOutputBytes)
  private var detached: [UInt8] = []
  private var detachedSent = 0

  init() {}

  /// Bytes that the kernel has not taken.
  var count: Int { buffer.count + detached.count - detachedSent }

  /// Adds a body. The caller begins no further answer while a large one is unsent.
  mutating func append(body: [UInt8]) {
    if body.count >= HTTPLimits.detachedBodyBytes {
      detached = body
      detachedSent = 0
    } else {
      buffer.append(body)
    }
  }

  /// Allows more output after a large body by moving its rest into the buffer.
  mutating func reattach() {
    guard !detached.isEmpty else { return }
    buffer.append(Array(detached[detachedSent...]))
    detached = []
    detachedSent = 0
  }

  /// Sends once, or twice when a large body follows. Returns false when the connection is lost.
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

  /// Releases a large buffer.
  mutating func trim() {
    if count == 0, buffer.allocatedBytes > HTTPLimits.idleBufferBytes { self = Output() }
  }
}
