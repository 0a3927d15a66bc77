internal import Reactor

/// What a connection still has to send: a buffer that gathers heads and small bodies, and behind it at most one large
/// body that is sent from where it lies. One owner; all that is done to it in one go is one access (see `RequestStore`).
struct Output: ~Copyable {
  var buffer = ByteBuffer(capacity: HTTPLimits.idleOutputBytes)
  private var detached: [UInt8] = []
  private var detachedSent = 0

  init() {}

  /// Bytes that the kernel has not taken.
  var count: Int { buffer.count + detached.count - detachedSent }

  /// Adds a body. The caller begins no further answer while a large one is outstanding.
  mutating func append(body: [UInt8]) {
    if body.count >= HTTPLimits.detachedBodyBytes {
      detached = body
      detachedSent = 0
    } else {
      buffer.append(body)
    }
  }

  /// Begins or continues an answer behind a large body: what was detached joins the buffer.
  mutating func reattach() {
    guard !detached.isEmpty else { return }
    buffer.append(Array(detached[detachedSent...]))
    detached = []
    detachedSent = 0
  }

  /// Sends once, or twice when a large body follows. False when the connection is lost.
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

  /// Gives a large buffer back.
  mutating func trim() {
    if count == 0, buffer.allocatedBytes > HTTPLimits.idleBufferBytes { self = Output() }
  }
}
