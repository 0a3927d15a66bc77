internal import Reactor

/// Parses one response from bytes as they arrive (RFC 9112), without I/O.
///
/// ```
///   head ──► length ─────────────────────────────────────► complete
///    │  ──► chunk size ─► data ─► its end ─► … ─► trailers ──►
///    │  ──► until the server closes ───────────────────────►
///    └ 1xx: the final response's head follows, after a few of them at most
/// ```
///
/// It consumes what it has parsed, so each byte is examined once, however slowly they arrive. Ambiguous framing is
/// rejected, because a response mistaken for a part of another would be delivered to the wrong caller.
struct ResponseParser {
  enum Outcome {
    case needMore
    /// A complete response, and whether the connection can be reused.
    case complete(HTTPResponse, keepsAlive: Bool)
    case malformed(String)
  }

  private enum Stage {
    case head
    case length(remaining: Int)
    case untilClose
    case chunks
    case complete
  }

  private let bodyLimit: Int
  private let cutsBody: Bool
  private var isHead = false
  private var stage = Stage.head
  private var head = ResponseHead()
  private var body: [UInt8] = []
  private var decoder: ChunkReader
  /// The number of bytes at the start of the input that are known to contain no end of the head.
  private var searched = 0
  /// The number of 1xx responses before the current head.
  private var announcements = 0
  /// The total size of these 1xx responses, in bytes.
  private var announcedBytes = 0

  /// Creates a parser.
  /// - Parameters:
  ///   - bodyLimit: maximum size of a body in bytes.
  ///   - cutsBody: true if a response with a longer body ends at the limit; false if it is malformed.
  init(bodyLimit: Int, cutsBody: Bool = false) {
    self.bodyLimit = bodyLimit
    self.cutsBody = cutsBody
    decoder = ChunkReader(limit: bodyLimit)
  }

  /// Resets the parser for the next response.
  /// - Parameter isHead: true if the request was HEAD, so that the response has no body whatever its headers say.
  mutating func reset(isHead: Bool) {
    self = ResponseParser(bodyLimit: bodyLimit, cutsBody: cutsBody)
    self.isHead = isHead
  }

  /// Parses as much of the input as possible and removes it from there.
  /// - Parameters:
  ///   - input: everything received and not yet consumed.
  ///   - isEnd: true if the server has closed the connection.
  mutating func parse(_ input: inout ByteBuffer, isEnd: Bool) -> Outcome {
    do throws(MalformedResponse) {
      while try step(&input, isEnd: isEnd) {}
    } catch {
      guard cutsBody, error == .longBody else { return .malformed(error.reason) }
      return .complete(HTTPResponse(status: head.status, headers: head.fields, body: body), keepsAlive: false)
    }
    guard case .complete = stage else { return .needMore }
    return .complete(
      HTTPResponse(status: head.status, headers: head.fields, body: body), keepsAlive: head.keepsAlive)
  }

  /// Performs one step. Returns false if no further progress is possible now.
  private mutating func step(_ input: inout ByteBuffer, isEnd: Bool) throws(MalformedResponse) -> Bool {
    switch stage {
    case .head: return try readHead(&input)
    case .length(let remaining):
      let count = min(remaining, input.count)
      take(count, &input)
      stage = count == remaining ? .complete : .length(remaining: remaining - count)
      return count == remaining
    case .untilClose:
      guard body.count + input.count <= bodyLimit else { throw MalformedResponse.longBody }
      take(input.count, &input)
      if isEnd { stage = .complete }
      return isEnd
    case .chunks:
      guard try decoder.read(&input, into: &body) else { return false }
      stage = .complete
      return true
    case .complete: return false
    }
  }

  private mutating func take(_ count: Int, _ input: inout ByteBuffer) {
    guard count > 0 else { return }
    input.withReadable { body += Array(copying: $0.extracting(0..<count)) }
    input.consume(count)
  }

  private mutating func readHead(_ input: inout ByteBuffer) throws(MalformedResponse) -> Bool {
    let start = max(0, searched - 3)
    guard let end = input.withReadable({ $0.endOfHead(from: start) }) else {
      searched = input.count
      try checkHead(searched)
      return false
    }
    try checkHead(end)
    head = try input.withReadable { bytes throws(MalformedResponse) in try ResponseHead(bytes.extracting(0..<end)) }
    input.consume(end + 4)
    searched = 0
    // A 1xx response precedes the final one (RFC 9110 §15.2). We never request another protocol, so 101 is an error.
    guard head.status != 101 else { throw MalformedResponse(reason: "it switches protocols unasked") }
    guard head.status >= 200 else {
      announcements += 1
      announcedBytes += end + 4
      // A limit, because a server could otherwise send 1xx responses for ever and thereby seem alive.
      guard announcements <= HTTPClientLimits.announcements else {
        throw MalformedResponse(reason: "too much is announced before it")
      }
      return true
    }
    stage = try bodyStage()
    return true
  }

  private func checkHead(_ bytes: Int) throws(MalformedResponse) {
    guard announcedBytes + bytes <= HTTPClientLimits.headBytes else {
      throw MalformedResponse(reason: "its head is too long")
    }
  }

  /// Determines how the body ends (RFC 9112 §6.3).
  private mutating func bodyStage() throws(MalformedResponse) -> Stage {
    if isHead || head.status == 204 || head.status == 304 { return .complete }
    if head.isChunked { return .chunks }
    guard let length = head.contentLength else {
      head.keepsAlive = false
      return .untilClose
    }
    guard length <= bodyLimit else { throw MalformedResponse.longBody }
    return .length(remaining: length)
  }
}

extension Span<UInt8> {
  /// Returns the offset of the first CR LF CR LF at or after `start`; nil if there is none.
  func endOfHead(from start: Int) -> Int? {
    var index = start
    while index + 3 < count {
      // The fourth byte determines how far to skip.
      if self[index + 3] == 10, self[index + 2] == 13, self[index + 1] == 10, self[index] == 13 { return index }
      index += 1
    }
    return nil
  }
}
