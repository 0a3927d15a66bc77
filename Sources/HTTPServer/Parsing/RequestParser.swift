internal import Glibc

/// Parses the head of one HTTP/1.1 request line by line as its bytes arrive, without I/O.
///
/// Each call receives all bytes of the request again from the first one, including those that have arrived since. The
/// parser remembers the lines parsed and how far it has searched, so no byte is examined more often if the bytes arrive
/// slowly. It stores only offsets.
///
/// ```
///   request line ──► fields ──► (empty line) head is complete
///        └──────────────┴──► malformed: status and reason; the connection must close
/// ```
///
/// The parser is strict, as RFC 9112 §11.2 advises: what two servers might frame differently is refused, not repaired.
package struct RequestParser {
  package enum Outcome {
    case needMore
    /// `head` is complete and `head.count` bytes long; the body follows.
    case head
    case malformed(Malformed)
  }

  private enum Stage {
    case requestLine, fields, complete
  }

  package internal(set) var head = RequestHead()
  private let limits: HeadLimits
  private var stage = Stage.requestLine
  /// Index of the first byte of the next line.
  private var lineStart = 0
  /// The bytes in `lineStart..<searched` contain no line feed.
  private var searched = 0
  private var fieldBytes = 0
  private var emptyLines = 0

  package init(limits: HeadLimits = HeadLimits()) {
    self.limits = limits
  }

  /// Returns whether the `count` bytes that have arrived contain nothing of a request: they are empty lines, already
  /// parsed. False for bytes that `parse` has not seen yet.
  package func isAtStart(of count: Int) -> Bool { stage == .requestLine && lineStart == count }

  /// Resets the parser for the next request.
  package mutating func reset() {
    head.reset()
    stage = .requestLine
    lineStart = 0
    searched = 0
    fieldBytes = 0
    emptyLines = 0
  }

  /// Parses as much of a request's head as has arrived. After `needMore`, call it again with more bytes; after the
  /// other results, call `reset` before the next request.
  /// - Parameter bytes: all bytes since the first byte of the request.
  package mutating func parse(_ bytes: Span<UInt8>) -> Outcome {
    do throws(Malformed) {
      while stage != .complete {
        guard let lineFeed = bytes.firstLineFeed(from: searched) else {
          searched = bytes.count
          // Allow one byte more: it may be the carriage return of a line that just fits.
          try checkLength(bytes.count - lineStart - 1)
          return .needMore
        }
        let lineEnd = lineFeed - 1
        try checkLength(lineEnd - lineStart)
        guard lineEnd >= lineStart, bytes[lineEnd] == ByteClass.carriageReturn else {
          throw Malformed(.badRequest, "A line must end with CR LF, not with LF alone (RFC 9112 §2.2).")
        }
        try parseLine(bytes, lineStart, lineEnd)
        lineStart = lineFeed + 1
        searched = lineStart
      }
      return .head
    } catch {
      return .malformed(error)
    }
  }

  private func checkLength(_ count: Int) throws(Malformed) {
    if stage == .requestLine {
      if count > limits.requestLineBytes { throw Malformed(.uriTooLong, "The request line is too long.") }
    } else if count > limits.fieldBytes {
      throw Malformed(.requestHeaderFieldsTooLarge, "A header field is too long.")
    }
  }

  private mutating func parseLine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    switch stage {
    case .requestLine where start == end:
      // Old clients send an empty line after a body: ignore a few (RFC 9112 §2.2).
      emptyLines += 1
      if emptyLines > limits.emptyLines { throw Malformed(.badRequest, "Too many empty lines before the request.") }
    case .requestLine:
      try head.parseRequestLine(bytes, start, end)
      stage = .fields
    case .fields where start == end:
      head.count = end + 2
      try head.finish(bytes)
      stage = .complete
    case .fields:
      fieldBytes += end - start
      guard head.fields.count < limits.fields, fieldBytes <= limits.allFieldsBytes else {
        throw Malformed(.requestHeaderFieldsTooLarge, "There are too many header fields.")
      }
      try head.parseField(bytes, start, end)
    case .complete:
      break
    }
  }
}

extension Span<UInt8> {
  /// Returns the index of the first line feed at or after `start`; nil if there is none.
  @inline(__always)
  func firstLineFeed(from start: Int) -> Int? {
    guard start < count else { return nil }
    // Safe: the search stays within the span, which outlives the call. memchr examines 32 bytes at a time.
    return unsafe withUnsafeBufferPointer { buffer in
      let base = unsafe UnsafeRawPointer(buffer.baseAddress!)
      guard let found = unsafe memchr(base + start, Int32(ByteClass.lineFeed), buffer.count - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Returns whether the bytes in `start..<end` begin with `text`; false if that range is shorter, or not within the
  /// span.
  @inline(__always)
  func equals(_ text: StaticString, at start: Int, _ end: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard start >= 0, end <= count, end - start >= length else { return false }
    // Safe: both ranges are within their bytes. For a literal, the compiler replaces memcmp by word comparisons.
    return unsafe withUnsafeBufferPointer { buffer in
      unsafe memcmp(buffer.baseAddress! + start, text.utf8Start, length) == 0
    }
  }

  /// Returns whether the bytes in `start..<end` equal `text`, ignoring case. `text` must be lower case.
  @inline(__always)
  func equalsIgnoringCase(_ text: StaticString, _ start: Int, _ end: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard end - start == length else { return false }
    for offset in 0..<length {
      // Safe: a static string is immortal, and `offset` stays below its length.
      if unsafe ByteClass.lowercased(self[start + offset]) != text.utf8Start[offset] { return false }
    }
    return true
  }

  /// Returns whether the bytes in `start..<end` equal `usual`, or `lowercased` ignoring case. The range must be as long
  /// as the name. Comparing with the usual spelling first is faster, because nearly all clients use it.
  @inline(__always)
  func isName(_ usual: StaticString, _ lowercased: StaticString, _ start: Int, _ end: Int) -> Bool {
    equals(usual, at: start, end) || equalsIgnoringCase(lowercased, start, end)
  }

  /// Returns whether the bytes in `start..<end` contain a control character other than the tab.
  @inline(__always)
  func hasControl(_ start: Int, _ end: Int) -> Bool {
    var index = start
    // Test eight bytes at a time, the last eight of a longer value twice where they overlap.
    if end - start >= 8 {
      while end - index >= 8 {
        if wordHasControl(index) { return true }
        index += 8
      }
      return index < end && wordHasControl(end - 8)
    }
    while index < end {
      if ByteClass.isControl(self[index]) { return true }
      index += 1
    }
    return false
  }

  /// Returns whether one of the eight bytes from `index` on is a control character other than the tab.
  @inline(__always)
  private func wordHasControl(_ index: Int) -> Bool {
    // Safe: the read is within the span, and any eight bytes are a valid number.
    let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
    // A byte below 0x20 or equal to 0x7F sets its highest bit. Borrows may cause false positives, and the tab is
    // allowed, so suspicious words are examined byte by byte.
    let low = (word &- 0x2020_2020_2020_2020) & ~word
    let flipped = word ^ 0x7F7F_7F7F_7F7F_7F7F
    let delete = (flipped &- 0x0101_0101_0101_0101) & ~flipped
    guard (low | delete) & 0x8080_8080_8080_8080 != 0 else { return false }
    for near in index..<index + 8 where ByteClass.isControl(self[near]) { return true }
    return false
  }
}
