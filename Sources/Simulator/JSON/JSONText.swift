/// Finds values in a JSON text (RFC 8259) without building anything: for the few members the simulator needs of a
/// JWT or of a payload, at the rate of a campaign.
enum JSONText {
  enum Kind: Equatable, Sendable { case object, array, string, number, literal }

  /// One value: where it stands in the text (a string with its quotes) and what it is.
  struct Value: Equatable, Sendable {
    let range: Range<Int>
    let kind: Kind
  }

  /// Deepest nesting that is followed; deeper counts as malformed. Our choice, against stack exhaustion.
  static let deepest = 64

  /// Calls `member` for each member of the object that fills `range` of the text (all of it when nil), key without
  /// quotes and undecoded. False when the text is not one well-formed object.
  static func members(
    of text: Span<UInt8>, in range: Range<Int>? = nil, _ member: (_ key: Range<Int>, _ value: Value) -> Void
  ) -> Bool {
    var position = range?.lowerBound ?? 0
    let end = range?.upperBound ?? text.count
    skipSpace(text, &position, end)
    guard scanObject(text, &position, end, depth: 0, member) else { return false }
    skipSpace(text, &position, end)
    return position == end
  }

  /// Calls `element` for each value of the array that fills `range`. False when it is not one well-formed array.
  static func elements(of text: Span<UInt8>, in range: Range<Int>, _ element: (Value) -> Void) -> Bool {
    var position = range.lowerBound
    return scanArray(text, &position, range.upperBound, depth: 0, element) && position == range.upperBound
  }

  /// The bytes of a string value without its quotes, undecoded; nil when it contains an escape.
  static func plainString(_ text: Span<UInt8>, _ value: Value) -> Range<Int>? {
    guard value.kind == .string else { return nil }
    let inner = value.range.lowerBound + 1..<value.range.upperBound - 1
    for index in inner where text[index] == 0x5C { return nil }
    return inner
  }

  private static func scanObject(
    _ text: Span<UInt8>, _ position: inout Int, _ end: Int, depth: Int,
    _ member: (_ key: Range<Int>, _ value: Value) -> Void
  ) -> Bool {
    guard depth < deepest, take(0x7B, text, &position, end) else { return false }
    skipSpace(text, &position, end)
    if take(0x7D, text, &position, end) { return true }
    while true {
      skipSpace(text, &position, end)
      let start = position
      guard scanString(text, &position, end) else { return false }
      let key = start + 1..<position - 1
      skipSpace(text, &position, end)
      guard take(0x3A, text, &position, end), let value = scanValue(text, &position, end, depth: depth + 1) else {
        return false
      }
      member(key, value)
      skipSpace(text, &position, end)
      if take(0x7D, text, &position, end) { return true }
      guard take(0x2C, text, &position, end) else { return false }
    }
  }

  private static func scanArray(
    _ text: Span<UInt8>, _ position: inout Int, _ end: Int, depth: Int, _ element: (Value) -> Void
  ) -> Bool {
    guard depth < deepest, take(0x5B, text, &position, end) else { return false }
    skipSpace(text, &position, end)
    if take(0x5D, text, &position, end) { return true }
    while true {
      guard let value = scanValue(text, &position, end, depth: depth + 1) else { return false }
      element(value)
      skipSpace(text, &position, end)
      if take(0x5D, text, &position, end) { return true }
      guard take(0x2C, text, &position, end) else { return false }
    }
  }

  private static func scanValue(_ text: Span<UInt8>, _ position: inout Int, _ end: Int, depth: Int) -> Value? {
    skipSpace(text, &position, end)
    guard position < end else { return nil }
    let start = position
    let kind: Kind
    let isWhole: Bool
    switch text[position] {
    case 0x7B: (kind, isWhole) = (.object, scanObject(text, &position, end, depth: depth) { _, _ in })
    case 0x5B: (kind, isWhole) = (.array, scanArray(text, &position, end, depth: depth) { _ in })
    case 0x22: (kind, isWhole) = (.string, scanString(text, &position, end))
    case 0x2D, 0x30...0x39: (kind, isWhole) = (.number, scanNumber(text, &position, end))
    default: (kind, isWhole) = (.literal, scanLiteral(text, &position, end))
    }
    return isWhole ? Value(range: start..<position, kind: kind) : nil
  }

  private static func scanString(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    guard take(0x22, text, &position, end) else { return false }
    while position < end {
      let byte = text[position]
      position += 1
      if byte == 0x22 { return true }
      if byte < 0x20 { return false }
      if byte == 0x5C {
        guard position < end, scanEscape(text, &position, end) else { return false }
      }
    }
    return false
  }

  private static func scanEscape(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    let byte = text[position]
    position += 1
    switch byte {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return true
    case 0x75:
      guard end - position >= 4 else { return false }
      for offset in 0..<4 where ASCII.hexadecimal(text[position + offset]) == nil { return false }
      position += 4
      return true
    default: return false
    }
  }

  private static func scanNumber(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    _ = take(0x2D, text, &position, end)
    if !take(0x30, text, &position, end) {
      guard scanDigits(text, &position, end) else { return false }
    }
    if take(0x2E, text, &position, end) {
      guard scanDigits(text, &position, end) else { return false }
    }
    guard take(0x65, text, &position, end) || take(0x45, text, &position, end) else { return true }
    if !take(0x2B, text, &position, end) { _ = take(0x2D, text, &position, end) }
    return scanDigits(text, &position, end)
  }

  private static func scanDigits(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    let start = position
    while position < end, (0x30...0x39).contains(text[position]) { position += 1 }
    return position > start
  }

  private static func scanLiteral(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    for literal in ["true", "false", "null"] where ASCII.hasPrefix(text.extracting(position..<end), literal) {
      position += literal.utf8.count
      return true
    }
    return false
  }

  private static func take(_ byte: UInt8, _ text: Span<UInt8>, _ position: inout Int, _ end: Int) -> Bool {
    guard position < end, text[position] == byte else { return false }
    position += 1
    return true
  }

  private static func skipSpace(_ text: Span<UInt8>, _ position: inout Int, _ end: Int) {
    while position < end {
      switch text[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }
}
