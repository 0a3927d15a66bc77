internal import Reactor

/// The bytes of a connection's current request and their parsed state, without I/O. One owner.
///
/// A struct, so that a sequence of operations is a single access to one property of its owner: Swift's run-time checks
/// for overlapping accesses to class properties would cost more than parsing a request.
struct RequestStore: ~Copyable {
  /// The facts about a complete head that the connection needs.
  struct Facts {
    var method: Method
    var minorVersion: Int
    var keepsAlive: Bool
    var framing: RequestHead.Framing
    var expectation: RequestHead.Expectation
  }

  enum Step {
    case needMore
    /// The head is complete, and its body or expectation needs a decision; `receiveBody` continues.
    case head(Facts)
    /// The request is complete.
    case complete(Facts)
    case malformed(Malformed)
  }

  enum BodyStep {
    case needMore
    case complete
    case malformed(Malformed)
    /// The spool file could not be written.
    case unstorable
  }

  /// Input: the head, the body unless chunked or spooled, and pipelined requests.
  var input: ByteBuffer
  private(set) var parser: RequestParser
  /// Decoded content of a chunked body in memory; otherwise empty.
  private var chunks = ByteBuffer(capacity: 64)
  /// Decoder of a chunked body.
  private var decoder = ChunkedDecoder()
  private(set) var bodyCount = 0
  /// The file with the content of a long body; nil if the body is in memory, and after `takeSpool` has handed the file
  /// over.
  private var spool: SpoolFile?
  /// Number of bytes of the current body that were written to the spool file.
  private(set) var spooledBytes = 0
  private(set) var isSpooled = false

  init(limits: HeadLimits, inputBytes: Int) {
    input = ByteBuffer(capacity: inputBytes)
    parser = RequestParser(limits: limits)
  }

  var head: RequestHead { _read { yield parser.head } }

  /// True if no byte of the current request has arrived; parsed empty lines before it do not count.
  var isIdle: Bool { parser.isAtStart(of: input.count) }

  // MARK: Input

  /// Parses what has arrived since the last call. Most requests are complete in one step.
  /// - Parameter unaskedBytes: body size up to which the handler need not be asked.
  mutating func advance(unaskedBytes: Int) -> Step {
    guard !input.isEmpty else { return .needMore }
    switch input.withReadable({ parser.parse($0) }) {
    case .needMore: return .needMore
    case .malformed(let malformed): return .malformed(malformed)
    case .head: break
    }
    if head.expectation == .none {
      switch head.framing {
      case .none: return .complete(facts)
      case .length(let length) where length <= input.count - head.count && length <= unaskedBytes:
        bodyCount = length
        return .complete(facts)
      default: break
      }
    }
    return .head(facts)
  }

  var facts: Facts {
    Facts(
      method: head.method, minorVersion: head.minorVersion, keepsAlive: head.keepsAlive, framing: head.framing,
      expectation: head.expectation)
  }

  /// Facts about a refused request, whose head may be incomplete. Its connection is not kept alive.
  var factsOfRefused: Facts {
    var facts = facts
    facts.keepsAlive = false
    return facts
  }

  /// Processes the part of the body that has arrived. Called after `.head`, and again with more input after `needMore`.
  /// - Parameter limit: size limit of the body in bytes; a longer body is malformed (413).
  mutating func receiveBody(limit: Int) -> BodyStep {
    switch head.framing {
    case .none: return .complete
    case .length(let length):
      guard length <= limit else { return .malformed(Malformed(.contentTooLarge, "The body is too large.")) }
      bodyCount = length
      if isSpooled { return spoolInput(length) }
      return input.count - head.count >= length ? .complete : .needMore
    case .chunked: return receiveChunks(limit: limit)
    }
  }

  private mutating func receiveChunks(limit: Int) -> BodyStep {
    let start = head.count
    let outcome = input.withReadable { bytes in
      decoder.decode(bytes.extracting(start..<bytes.count), into: &chunks, limit: limit - spooledBytes)
    }
    bodyCount = spooledBytes + chunks.count
    if isSpooled, !spoolChunks() { return .unstorable }
    switch outcome {
    case .needMore(let consumed):
      input.remove(consumed, at: start)
      return .needMore
    case .complete(let consumed):
      input.remove(consumed, at: start)
      return .complete
    case .malformed(let malformed):
      return .malformed(malformed)
    }
  }

  // MARK: Spooling

  /// Starts writing the body to a file in this directory; keeps it in memory if the file cannot be created.
  mutating func beginSpool(in directory: String) {
    spool = try? SpoolFile(in: directory)
    isSpooled = spool != nil
  }

  private mutating func spoolInput(_ length: Int) -> BodyStep {
    let (start, count) = (head.count, min(length - spooledBytes, input.count - head.count))
    let (file, offset) = (spool, spooledBytes)
    let isStored = input.withReadable { Self.store($0.extracting(start..<start + count), file, at: offset) }
    guard isStored else { return .unstorable }
    input.remove(count, at: start)
    spooledBytes += count
    return spooledBytes == length ? .complete : .needMore
  }

  private mutating func spoolChunks() -> Bool {
    let (file, offset) = (spool, spooledBytes)
    let isStored = chunks.withReadable { Self.store($0, file, at: offset) }
    spooledBytes += chunks.count
    chunks.removeAll()
    return isStored
  }

  private static func store(_ bytes: Span<UInt8>, _ file: SpoolFile?, at offset: Int) -> Bool {
    do throws(SystemError) {
      try file?.write(bytes, at: offset)
      return true
    } catch {
      return false
    }
  }

  /// Returns the spooled body and releases it to the caller; nil if the body is in memory, or was taken before.
  /// - Parameter share: the body's share of the disk budget.
  mutating func takeSpool(_ share: BodyShare?) -> SpooledBody? {
    guard let file = spool else { return nil }
    spool = nil
    return SpooledBody(file, count: spooledBytes, share)
  }

  private mutating func endSpool() {
    spool = nil
    spooledBytes = 0
    isSpooled = false
  }

  /// True if bytes after the head have arrived. Only for a request whose body has not been processed yet.
  var hasBodyBytes: Bool { input.count > head.count }

  /// Number of bytes for which the next read should make room: the missing part of a body of known length, but at least
  /// 512 and at most `HTTPLimits.bodyReadBytes`; for a chunked body `HTTPLimits.readBytes`.
  var bodyReadBytes: Int {
    guard case .length(let length) = head.framing else { return HTTPLimits.readBytes }
    return min(HTTPLimits.bodyReadBytes, max(512, head.count + length - spooledBytes - input.count))
  }

  /// Removes the request that was handled; pipelined input stays.
  /// - Returns: true if there is pipelined input.
  mutating func finish() -> Bool {
    if head.framing == .chunked {
      input.consume(head.count)
      decoder = ChunkedDecoder()
      chunks = ByteBuffer(capacity: 64)
    } else {
      input.consume(head.count + (isSpooled ? 0 : bodyCount))
    }
    bodyCount = 0
    if isSpooled { endSpool() }
    parser.reset()
    return !input.isEmpty
  }

  /// Number of bytes held in memory for the request, including pipelined input.
  var heldBytes: Int { input.count + chunks.count }

  /// Releases memory between two requests, because most connections are idle most of the time. Does nothing while there
  /// is input.
  mutating func rest() {
    guard input.isEmpty, input.allocatedBytes > HTTPLimits.restingBufferBytes else { return }
    input = ByteBuffer(capacity: HTTPLimits.restingBufferBytes)
  }

  /// Releases the memory of a large body after it was handled. Pipelined input stays.
  mutating func trim() {
    guard input.allocatedBytes > HTTPLimits.idleBufferBytes else { return }
    let ahead = input.withReadable { Array(copying: $0) }
    input = ByteBuffer(capacity: max(HTTPLimits.readBytes, ahead.count))
    input.append(ahead)
  }

  /// Discards all input and releases its memory. Called when no more requests are parsed.
  mutating func discard() {
    input = ByteBuffer(capacity: HTTPLimits.readBytes)
    chunks = ByteBuffer(capacity: 64)
    endSpool()
  }

  // MARK: Access

  func withPath<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try input.withReadable { bytes throws(Failure) in try body(bytes.extracting(head.path.range)) }
  }

  /// Returns whether the path as sent equals `path`; a missing path equals `/`. The comparison is written out, because
  /// each request makes several, and closures cost more than comparing.
  func pathEquals(_ path: StaticString) -> Bool {
    let slice = parser.head.path
    // An absolute-form target without a path means "/", the only path of one byte.
    guard slice.count > 0 else { return path.utf8CodeUnitCount == 1 }
    return Int(slice.count) == path.utf8CodeUnitCount && input.hasText(path, at: Int(slice.start))
  }

  func contentTypeEquals(_ text: StaticString) -> Bool {
    guard let slice = parser.head.contentType else { return false }
    return Int(slice.count) == text.utf8CodeUnitCount && input.hasText(text, at: Int(slice.start))
  }

  func withHeader<Result>(_ lowercasedName: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    input.withReadable { bytes in
      for field in head.fields where Int(field.name.count) == lowercasedName.utf8CodeUnitCount {
        let name = field.name.range
        guard bytes.equalsIgnoringCase(lowercasedName, name.lowerBound, name.upperBound) else { continue }
        return body(bytes.extracting(field.value.range))
      }
      return nil
    }
  }

  func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if head.framing == .chunked { return try chunks.withReadable(body) }
    let start = head.count
    let end = start + (isSpooled ? 0 : bodyCount)
    return try input.withReadable { bytes throws(Failure) in try body(bytes.extracting(start..<end)) }
  }

  func text(_ slice: RequestHead.Slice) -> String {
    input.withReadable { String(copying: $0.extracting(slice.range)) }
  }
}
