internal import Reactor

/// The nine-byte header of each frame (RFC 9113 §4.1).
struct FrameHeader: Equatable {
  static let bytes = 9

  let length: Int
  let type: UInt8
  let flags: UInt8
  let streamID: Int32

  /// The frame types (RFC 9113 §6).
  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let resetStream: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  enum Flag {
    static let acknowledgement: UInt8 = 0x01
    static let endStream: UInt8 = 0x01
    static let endHeaders: UInt8 = 0x04
    static let padded: UInt8 = 0x08
    static let priority: UInt8 = 0x20
  }

  init(length: Int, type: UInt8, flags: UInt8 = 0, streamID: Int32 = 0) {
    self.length = length
    self.type = type
    self.flags = flags
    self.streamID = streamID
  }

  /// Reads the header at `offset`; the caller has checked that nine bytes are available.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    length = Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
    type = bytes[offset + 3]
    flags = bytes[offset + 4]
    // The highest bit is reserved and ignored.
    streamID = Int32(bitPattern: bytes.uint32(at: offset + 5) & 0x7FFF_FFFF)
  }

  func append(to buffer: inout ByteBuffer) {
    buffer.append(bigEndian: UInt32(length) << 8 | UInt32(type))
    buffer.append(flags)
    buffer.append(bigEndian: UInt32(bitPattern: streamID))
  }

  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

extension Span where Element == UInt8 {
  /// Reads four bytes at `offset` as a big-endian number.
  func uint32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }

  func uint16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }
}

extension ByteBuffer {
  /// Appends four bytes, big-endian.
  mutating func append(bigEndian value: UInt32) {
    // Safe: the bytes of a local integer.
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe append($0) }
  }

  /// Appends two bytes, big-endian.
  mutating func append(bigEndian value: UInt16) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe append($0) }
  }
}
