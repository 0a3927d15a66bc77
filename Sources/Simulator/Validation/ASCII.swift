/// Compares and parses bytes from the wire without creating strings.
enum ASCII {
  static func equal(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let utf8 = text.utf8
    return bytes.count == utf8.count && hasPrefix(bytes, text)
  }

  static func hasPrefix(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let utf8 = text.utf8
    guard bytes.count >= utf8.count else { return false }
    var index = 0
    for byte in utf8 {
      if bytes[index] != byte { return false }
      index += 1
    }
    return true
  }

  static func hasSuffix(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let length = text.utf8.count
    guard bytes.count >= length else { return false }
    return equal(bytes.extracting(bytes.count - length..<bytes.count), text)
  }

  static func equal(_ bytes: Span<UInt8>, _ other: [UInt8]) -> Bool {
    equal(bytes, other.span)
  }

  static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  static func string(_ bytes: Span<UInt8>) -> String {
    String(decoding: array(bytes), as: UTF8.self)
  }

  static func array(_ bytes: Span<UInt8>) -> [UInt8] {
    var copy: [UInt8] = []
    copy.append(from: bytes)
    return copy
  }

  /// Parses an unsigned decimal number. Returns nil if the bytes are empty, contain anything but digits, or do not fit.
  static func decimal(_ bytes: Span<UInt8>) -> Int64? {
    guard !bytes.isEmpty else { return nil }
    var value: Int64 = 0
    for index in bytes.indices {
      let digit = Int64(bytes[index]) - 48
      guard (0...9).contains(digit) else { return nil }
      let (tenfold, first) = value.multipliedReportingOverflow(by: 10)
      let (sum, second) = tenfold.addingReportingOverflow(digit)
      if first || second { return nil }
      value = sum
    }
    return value
  }

  /// Returns the value of a hexadecimal digit in either case; nil for any other byte.
  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x61 + 10
    case 0x41...0x46: byte - 0x41 + 10
    default: nil
    }
  }

  /// Returns the lower-case digit for a value below 16.
  static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
  }
}

extension [UInt8] {
  mutating func append(from bytes: Span<UInt8>) {
    reserveCapacity(count + bytes.count)
    for index in bytes.indices { append(bytes[index]) }
  }
}
