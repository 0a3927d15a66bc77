internal import CNGHTTP2
internal import Reactor

/// Compresses request headers (HPACK, RFC 7541) for one connection.
///
/// Caches a template's encoded block from its second use on: by then all its fields are in the HPACK table, and a
/// request costs two copies plus its own path and varying value. A new table entry shifts all indices, so it
/// invalidates the cache. Strings are not Huffman coded: tokens and ids hardly shrink, and the saved bytes are not
/// worth the time.
struct HeaderEncoder {
  private struct Entry {
    let name: [UInt8]
    let value: [UInt8]
    /// The size of the entry in bytes, including the overhead of 32 (RFC 7541 §4.1).
    var size: Int { name.count + value.count + 32 }
  }

  /// A template's encoded block without path and varying value: `head` precedes the path, and `tail` lies between the
  /// path and the varying value.
  private struct Image {
    var head: [UInt8] = []
    var tail: [UInt8] = []
  }

  /// The dynamic table, newest entry first, in the order of HPACK indices.
  private var table: [Entry] = []
  private var tableSize = 0
  private var tableLimit = HTTP2.Limits.headerTableBytes
  /// The table size changes to announce at the start of the next block: the smallest and the last.
  private var announcedLimits: [Int] = []

  private var template: RequestTemplate?
  private var image = Image()

  /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE. We never use more than the usual 4,096 bytes.
  mutating func limitTable(_ bytes: Int) {
    let limit = min(bytes, HTTP2.Limits.headerTableBytes)
    guard limit != tableLimit else { return }
    tableLimit = limit
    // RFC 7541 §4.2: after several changes between two blocks, the smallest must be announced too.
    announcedLimits = [announcedLimits.min().map { min($0, limit) } ?? limit, limit]
    evict(toFit: 0)
    template = nil
  }

  /// Prepares the block that `append` will write, and returns its size in bytes.
  mutating func prepare(_ next: RequestTemplate, path: Int, varying: Int) -> Int {
    if template !== next { makeImage(next) }
    return image.head.count + Self.stringBytes(path) + image.tail.count
      + (next.varyingName == nil ? 0 : Self.stringBytes(varying))
  }

  /// Appends the block that `prepare` has prepared, with the request's path and varying value.
  mutating func append(path: Span<UInt8>, varying: Span<UInt8>, hasVarying: Bool, to buffer: inout ByteBuffer) {
    buffer.append(image.head)
    Self.append(string: path, to: &buffer)
    buffer.append(image.tail)
    if hasVarying { Self.append(string: varying, to: &buffer) }
    if let name = enteringName {
      enteringName = nil
      insert(Entry(name: name, value: Array(varying)))
    }
    if !isReusable { template = nil }
  }

  /// True if the image adds nothing to the dynamic table, so that the next request can reuse it.
  private var isReusable = false
  /// The name of the varying field if it will be added to the table with this request's value; nil otherwise.
  private var enteringName: [UInt8]?

  private mutating func makeImage(_ next: RequestTemplate) {
    isReusable = true
    var made = Image()
    // Takes over the memory of the last one.
    swap(&made, &image)
    made.head.removeAll(keepingCapacity: true)
    made.tail.removeAll(keepingCapacity: true)
    for limit in announcedLimits { Self.append(integer: limit, prefix: 5, pattern: 0x20, to: &made.head) }
    if !announcedLimits.isEmpty {
      announcedLimits = []
      isReusable = false
    }
    for field in next.pseudoFields { append(field, to: &made.head) }
    // Literal without indexing, name 4 of the static table: `:path`.
    made.head.append(0x04)
    for field in next.fields { append(field, to: &made.tail) }
    if let name = next.varyingName { appendVarying(name, to: &made.tail) }
    swap(&made, &image)
    template = next
  }

  private mutating func append(_ field: RequestTemplate.Field, to bytes: inout [UInt8]) {
    let match = find(field)
    switch (field.indexing, match) {
    case (.always, .whole(let index)), (.nameOnly, .whole(let index)):
      Self.append(integer: index, prefix: 7, pattern: 0x80, to: &bytes)
      return
    case (.never, _): Self.append(integer: match.nameIndex, prefix: 4, pattern: 0x10, to: &bytes)
    case (.nameOnly, .name):
      Self.append(integer: match.nameIndex, prefix: 4, pattern: 0x00, to: &bytes)
    case (.always, _), (.nameOnly, .none):
      Self.append(integer: match.nameIndex, prefix: 6, pattern: 0x40, to: &bytes)
      insert(Entry(name: field.name, value: field.value))
    }
    if match.nameIndex == 0 { Self.append(string: field.name, to: &bytes) }
    Self.append(string: field.value, to: &bytes)
  }

  /// Appends the varying field without its value.
  private mutating func appendVarying(_ name: [UInt8], to bytes: inout [UInt8]) {
    let match = find(RequestTemplate.Field(name: name, value: [], indexing: .nameOnly))
    if match.nameIndex > 0 {
      Self.append(integer: match.nameIndex, prefix: 4, pattern: 0x00, to: &bytes)
    } else {
      Self.append(integer: 0, prefix: 6, pattern: 0x40, to: &bytes)
      Self.append(string: name, to: &bytes)
      enteringName = name
    }
  }

  // MARK: The table

  private enum Match {
    case none
    /// The table contains only the name, at this index.
    case name(Int)
    case whole(Int)

    var nameIndex: Int {
      switch self {
      case .none: 0
      case .name(let index), .whole(let index): index
      }
    }
  }

  private func find(_ field: RequestTemplate.Field) -> Match {
    var match = Match.none
    for (index, name, value) in StaticTable.fields where field.name.elementsEqual(name.utf8) {
      if field.value.elementsEqual(value.utf8) { return .whole(index) }
      if match.nameIndex == 0 { match = .name(index) }
    }
    for offset in table.indices where table[offset].name == field.name {
      if table[offset].value == field.value { return .whole(StaticTable.count + 1 + offset) }
      if match.nameIndex == 0 { match = .name(StaticTable.count + 1 + offset) }
    }
    return match
  }

  private mutating func insert(_ entry: Entry) {
    isReusable = false
    evict(toFit: entry.size)
    // An entry larger than the whole table empties it and is not added (RFC 7541 §4.4).
    guard entry.size <= tableLimit else { return }
    table.insert(entry, at: 0)
    tableSize += entry.size
  }

  private mutating func evict(toFit bytes: Int) {
    while tableSize + bytes > tableLimit, let last = table.popLast() { tableSize -= last.size }
  }

  // MARK: Integers and strings (RFC 7541 §5)

  private static func append(integer value: Int, prefix: Int, pattern: UInt8, to bytes: inout [UInt8]) {
    let limit = 1 << prefix - 1
    guard value >= limit else { return bytes.append(pattern | UInt8(value)) }
    bytes.append(pattern | UInt8(limit))
    var rest = value - limit
    while rest >= 128 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func append(string: [UInt8], to bytes: inout [UInt8]) {
    append(integer: string.count, prefix: 7, pattern: 0, to: &bytes)
    bytes += string
  }

  private static func append(string: Span<UInt8>, to buffer: inout ByteBuffer) {
    var rest = string.count - 127
    if rest < 0 {
      buffer.append(UInt8(string.count))
    } else {
      buffer.append(127)
      while rest >= 128 {
        buffer.append(UInt8(rest & 127 | 128))
        rest >>= 7
      }
      buffer.append(UInt8(rest))
    }
    buffer.append(string)
  }

  /// Returns the encoded size in bytes of a string of `count` bytes, including its length prefix.
  private static func stringBytes(_ count: Int) -> Int {
    var bytes = 1 + count
    guard count >= 127 else { return bytes }
    var rest = count - 127
    bytes += 1
    while rest >= 128 {
      bytes += 1
      rest >>= 7
    }
    return bytes
  }
}

/// The part of RFC 7541's static table (appendix A) that requests use.
private enum StaticTable {
  static let count = 61
  static let fields: [(index: Int, name: String, value: String)] = [
    (1, ":authority", ""), (2, ":method", "GET"), (3, ":method", "POST"), (4, ":path", "/"), (6, ":scheme", "http"),
    (7, ":scheme", "https"), (19, "accept", ""), (23, "authorization", ""), (28, "content-length", ""),
    (31, "content-type", ""), (38, "host", ""), (58, "user-agent", ""),
  ]
}

/// Decompresses the header blocks (HPACK, RFC 7541) of one connection, using nghttp2.
@safe
struct HeaderDecoder: ~Copyable {
  private let inflater: OpaquePointer

  init() throws(HTTP2Error) {
    var made: OpaquePointer?
    let code = unsafe nghttp2_hd_inflate_new(&made)
    guard code == 0, let made = unsafe made else { throw HTTP2Error("start", code: Int(code)) }
    unsafe inflater = made
  }

  deinit {
    unsafe nghttp2_hd_inflate_del(inflater)
  }

  enum Outcome {
    case whole
    // The block violates RFC 7541. After `malformed` and `tooLong` the HPACK table no longer matches the peer's, so the
    // connection cannot continue.
    case malformed
    /// The decoded header list exceeds the limit.
    case tooLong
  }

  /// Decodes a complete block and calls `field` for each field, in order.
  /// - Parameter limit: maximum size of all fields, in bytes as RFC 9113 §6.5.2 counts them.
  func decode(
    _ block: Span<UInt8>, atMost limit: Int = HTTP2.Limits.headerListBytes,
    _ field: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) -> Outcome {
    // Safe: the block is valid during the call; nghttp2's name and value are valid until its next call.
    unsafe block.withUnsafeBufferPointer { bytes in
      var offset = 0
      var listBytes = 0
      while true {
        var entry = unsafe nghttp2_nv()
        var flags: Int32 = 0
        let start = unsafe bytes.baseAddress.map { unsafe $0 + offset }
        let read = unsafe nghttp2_hd_inflate_hd2(inflater, &entry, &flags, start, bytes.count - offset, 1)
        guard read >= 0 else { return .malformed }
        offset += read
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          unsafe listBytes += entry.namelen + entry.valuelen + HTTP2.Limits.fieldOverheadBytes
          guard listBytes <= limit else { return .tooLong }
          unsafe field(
            UnsafeBufferPointer(start: entry.name, count: entry.namelen),
            UnsafeBufferPointer(start: entry.value, count: entry.valuelen))
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          unsafe _ = nghttp2_hd_inflate_end_headers(inflater)
          return .whole
        }
        // No field was emitted and no input is left: the block ends in the middle of a field.
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0, offset >= bytes.count { return .malformed }
      }
    }
  }
}
