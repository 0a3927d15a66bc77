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

  /// Appends a body. A body of at least `HTTPLimits.detachedBodyBytes` is kept without a copy: until it is sent,
  /// nothing may be appended without calling `reattach` before.
  mutating func append(body: [UInt8]) {
    if body.count >= HTTPLimits.detachedBodyBytes {
      detached = body
      detachedSent = 0
    } else {
      buffer.append(body)
    }
  }

  /// Moves the unsent rest of a large body into the buffer, so that more can be appended; does nothing if there is
  /// none.
  mutating func reattach() {
    guard !detached.isEmpty else { return }
    buffer.append(Array(detached[detachedSent...]))
    detached = []
    detachedSent = 0
  }

  /// Sends the buffer with one system call and, if that empties it, a large body with another. What the kernel does not
  /// accept stays. Returns false if the connection is lost.
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

  /// Replaces a buffer that has grown large by a small one, if all output is sent.
  mutating func trim() {
    if count == 0, buffer.allocatedBytes > HTTPLimits.idleBufferBytes { self = Output() }
  }
}
