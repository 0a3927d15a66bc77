internal import Reactor

/// Decodes a chunked body (RFC 9112 §7.1), without I/O. Consumes what it has decoded.
struct ChunkReader {
  private enum Stage {
    case size
    case data(remaining: Int)
    case endOfData
    case trailers
  }

  private let limit: Int
  private var stage = Stage.size
  private var trailerBytes = 0
  private var extensionBytes = 0
  /// The number of bytes at the start of the input that are known to contain no line feed.
  private var searched = 0

  /// Creates a reader.
  /// - Parameter limit: maximum size of the whole body, in bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// Decodes as much as possible. Returns true when the body is complete.
  mutating func read(_ input: inout ByteBuffer, into body: inout [UInt8]) throws(MalformedResponse) -> Bool {
    while true {
      switch stage {
      case .size:
        guard let line = try takeLine(&input) else { return false }
        let size = try readSize(line)
        guard size <= limit - body.count else { throw MalformedResponse.longBody }
        stage = size == 0 ? .trailers : .data(remaining: size)
      case .data(let remaining):
        let count = min(remaining, input.count)
        guard count > 0 else { return false }
        input.withReadable { body += Array(copying: $0.extracting(0..<count)) }
        input.consume(count)
        stage = count == remaining ? .endOfData : .data(remaining: remaining - count)
      case .endOfData:
        guard input.count >= 2 else { return false }
        guard input[0] == 13, input[1] == 10 else { throw MalformedResponse(reason: "a chunk is too long") }
        input.consume(2)
        stage = .size
      case .trailers:
        guard let line = try takeLine(&input) else { return false }
        if line.isEmpty { return true }
        trailerBytes += line.count
        guard trailerBytes <= HTTPClientLimits.chunkLineBytes else {
          throw MalformedResponse(reason: "its trailers are too long")
        }
        _ = try ResponseHead.field(line.span)
      }
    }
  }

  /// Removes and returns one line, without its CR LF; nil if it is incomplete.
  private mutating func takeLine(_ input: inout ByteBuffer) throws(MalformedResponse) -> [UInt8]? {
    var index = searched
    while index < input.count, input[index] != 10 { index += 1 }
    guard index <= HTTPClientLimits.chunkLineBytes else {
      throw MalformedResponse(reason: "a chunk line is too long")
    }
    guard index < input.count else {
      searched = index
      return nil
    }
    searched = 0
    guard index > 0, input[index - 1] == 13 else {
      throw MalformedResponse(reason: "a chunk line does not end with CR LF")
    }
    let line = input.withReadable { Array(copying: $0.extracting(0..<index - 1)) }
    input.consume(index + 1)
    return line
  }

  /// Parses `1*HEXDIG [ chunk-ext ]` and returns the size.
  private mutating func readSize(_ line: [UInt8]) throws(MalformedResponse) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    let rest = line.dropFirst(digits.count).drop { $0 == 0x20 || $0 == 0x09 }
    guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      rest.isEmpty && digits.count == line.count || rest.first == UInt8(ascii: ";"),
      !rest.contains(where: HTTPToken.isControl)
    else { throw MalformedResponse(reason: "a chunk has no proper size") }
    // Extensions do not count towards the body limit and are ignored, so they have a limit of their own.
    extensionBytes += line.count - digits.count
    guard extensionBytes <= HTTPClientLimits.chunkLineBytes else {
      throw MalformedResponse(reason: "its chunk extensions are too long")
    }
    return size
  }
}
