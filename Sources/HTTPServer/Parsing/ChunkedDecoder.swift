package import Reactor

/// Decodes a chunked body (RFC 9112 §7.1), without I/O.
///
/// ```
///   size ──► data ──► end of data ──► size …        size 0 ──► trailers ──► complete
/// ```
///
/// Each call consumes what it can decode; the caller passes the rest again together with the bytes that follow.
package struct ChunkedDecoder {
  package enum Outcome {
    /// More bytes are needed. The caller must not pass the first `consumed` bytes again.
    case needMore(consumed: Int)
    case complete(consumed: Int)
    case malformed(Malformed)
  }

  private enum Stage {
    case size
    case data(remaining: Int)
    case endOfData
    case trailers
  }

  private var stage = Stage.size
  /// Number of bytes after the consumed ones that are known to contain no line feed.
  private var searched = 0
  private var extensionBytes = 0
  private var trailerBytes = 0

  package init() {}

  /// Decodes as much as possible. After `complete` or `malformed`, the decoder must not be used again.
  /// - Parameters:
  ///   - bytes: all bytes that were not consumed before.
  ///   - body: the decoded content is appended to it.
  ///   - limit: maximum size of `body` in bytes. A chunk whose announced size would exceed it is malformed (413).
  package mutating func decode(_ bytes: Span<UInt8>, into body: inout ByteBuffer, limit: Int) -> Outcome {
    var consumed = 0
    do throws(Malformed) {
      while true {
        switch stage {
        case .size:
          guard let end = try lineEnd(bytes, consumed, atMost: HTTPLimits.chunkExtensionBytes) else {
            return .needMore(consumed: consumed)
          }
          let size = try parseSize(bytes, consumed, end)
          guard size <= limit - body.count else { throw Malformed(.contentTooLarge, "The body is too large.") }
          consumed = end + 2
          stage = size == 0 ? .trailers : .data(remaining: size)
        case .data(let remaining):
          let part = min(remaining, bytes.count - consumed)
          body.append(bytes.extracting(consumed..<consumed + part))
          consumed += part
          guard part == remaining else {
            stage = .data(remaining: remaining - part)
            return .needMore(consumed: consumed)
          }
          stage = .endOfData
        case .endOfData:
          guard try skipLineBreak(bytes, consumed) else { return .needMore(consumed: consumed) }
          consumed += 2
          stage = .size
        case .trailers:
          guard let end = try lineEnd(bytes, consumed, atMost: HTTPLimits.trailerBytes - trailerBytes) else {
            return .needMore(consumed: consumed)
          }
          let start = consumed
          consumed = end + 2
          if start == end { return .complete(consumed: consumed) }
          trailerBytes += end - start
          _ = try RequestHead.split(bytes, start, end)
        }
      }
    } catch {
      return .malformed(error)
    }
  }

  /// Returns the end of the line that begins at `start`, without its CR LF; nil if its line feed has not arrived.
  /// Throws if the line is longer than `limit` bytes, or ends with LF alone.
  private mutating func lineEnd(_ bytes: Span<UInt8>, _ start: Int, atMost limit: Int) throws(Malformed) -> Int? {
    let lineFeed = bytes.firstLineFeed(from: start + searched)
    let length = (lineFeed ?? bytes.count) - start - 1
    guard length <= limit else {
      if case .trailers = stage { throw Malformed(.requestHeaderFieldsTooLarge, "The trailers are too long.") }
      throw Malformed(.badRequest, "A chunk size line is too long (RFC 9112 §7.1.1).")
    }
    guard let lineFeed else {
      searched = bytes.count - start
      return nil
    }
    searched = 0
    guard lineFeed > start, bytes[lineFeed - 1] == ByteClass.carriageReturn else {
      throw Malformed(.badRequest, "A chunk line does not end with CR LF (RFC 9112 §7.1).")
    }
    return lineFeed - 1
  }

  /// Parses `1*HEXDIG [ chunk-ext ]`, where white space and `;` begin the extension, and returns the size. Throws if
  /// there are no digits, the size is too large, or the extension is malformed or too long.
  private mutating func parseSize(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) -> Int {
    var size = 0
    var index = start
    while index < end, let digit = ByteClass.hexValue(bytes[index]) {
      guard size < 1 << 55 else { throw Malformed(.badRequest, "A chunk size is too large (RFC 9112 §7.1).") }
      size = size << 4 | Int(digit)
      index += 1
    }
    guard index > start else { throw Malformed(.badRequest, "A chunk size is not a number (RFC 9112 §7.1).") }
    if index < end { try checkExtension(bytes, index, end) }
    return size
  }

  private mutating func checkExtension(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var index = start
    while index < end, bytes[index] == ByteClass.space || bytes[index] == ByteClass.tab { index += 1 }
    guard index < end, bytes[index] == UInt8(ascii: ";"), !bytes.hasControl(index, end) else {
      throw Malformed(.badRequest, "A chunk size is followed by something that is no extension (RFC 9112 §7.1.1).")
    }
    extensionBytes += end - start
    guard extensionBytes <= HTTPLimits.chunkExtensionBytes else {
      throw Malformed(.badRequest, "The chunk extensions are too long (RFC 9112 §7.1.1).")
    }
  }

  /// Checks the CR LF after a chunk, which begins at `start`. Returns false until both bytes have arrived; throws on
  /// the first wrong byte.
  private func skipLineBreak(_ bytes: Span<UInt8>, _ start: Int) throws(Malformed) -> Bool {
    let available = bytes.count - start
    let isBroken =
      available > 0 && bytes[start] != ByteClass.carriageReturn
      || available > 1 && bytes[start + 1] != ByteClass.lineFeed
    guard !isBroken else { throw Malformed(.badRequest, "A chunk is longer than its size (RFC 9112 §7.1).") }
    return available >= 2
  }
}
