/// Parses one JSON text as a stream, from front to back.
///
/// ```
/// var reader = JSONReader(bytes)
/// try reader.readObject { (reader, key) throws(JSONError) in
///   switch key {
///   case "psid": psid = try reader.readString()
///   default: throw .unknownField
///   }
/// }
/// try reader.finish()
/// ```
/// Each closure must read exactly one value, or `skip` it.
///
/// Decision 084.
package struct JSONReader {
  let bytes: [UInt8]
  var position = 0
  var depth = 0
  /// True to skip unknown members instead of refusing them, for text written by this server.
  package let ignoresUnknownFields: Bool

  /// The kind of a value, as determined by its first byte.
  package enum Kind: Equatable, Sendable {
    case object, array, string, number, boolean, null
  }

  /// Creates a reader at the beginning of the text.
  /// - Parameter ignoresUnknownFields: true for text written by this server, possibly by a newer release: unknown
  ///   members are skipped. Otherwise they are refused.
  package init(_ bytes: [UInt8], ignoresUnknownFields: Bool = false) {
    self.bytes = bytes
    self.ignoresUnknownFields = ignoresUnknownFields
  }

  // MARK: Structure

  /// Returns the kind of the next value without reading it.
  package mutating func peek() throws(JSONError) -> Kind {
    skipWhitespace()
    guard position < bytes.count else { throw .malformed("the text ends where a value should begin") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw .malformed("not a JSON value at byte \(position)")
    }
  }

  /// Parses an object, calling `member` at each value with its name. Throws on duplicate names and on more than
  /// `JSON.Limits.members` members.
  package mutating func readObject(
    _ member: (inout JSONReader, String) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard try peek() == .object else { throw JSONError("must be an object") }
    try enter()
    if take(UInt8(ascii: "}")) { return leave() }
    var names = MemberNames()
    while true {
      guard try peek() == .string else { throw .malformed("an object needs names in quotes (byte \(position))") }
      let name = try readString()
      guard names.insert(name) else { throw JSONError("is given twice").inside(name) }
      guard names.count <= JSON.Limits.members else {
        throw JSONError("has more than \(JSON.Limits.members) members")
      }
      guard take(UInt8(ascii: ":")) else { throw .malformed("a colon is missing at byte \(position)") }
      let start = position
      do {
        try member(&self, name)
      } catch {
        // Skip the member only if the error concerns this value itself, not one inside it: then none of it has been
        // read.
        guard ignoresUnknownFields, error == .unknownField, position == start else { throw error.inside(name) }
        try skip()
      }
      if take(UInt8(ascii: ",")) { continue }
      if take(UInt8(ascii: "}")) { return leave() }
      throw .malformed("a comma or closing brace is missing at byte \(position)")
    }
  }

  /// Parses an array, calling `element` at each value with its index.
  package mutating func readArray(
    _ element: (inout JSONReader, Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard try peek() == .array else { throw JSONError("must be an array") }
    try enter()
    if take(UInt8(ascii: "]")) { return leave() }
    var index = 0
    while true {
      do {
        try element(&self, index)
      } catch {
        throw error.inside(String(index))
      }
      index += 1
      if take(UInt8(ascii: ",")) { continue }
      if take(UInt8(ascii: "]")) { return leave() }
      throw .malformed("a comma or closing bracket is missing at byte \(position)")
    }
  }

  /// Checks that only white space follows.
  /// - Throws: a malformed-text error otherwise.
  package mutating func finish() throws(JSONError) {
    skipWhitespace()
    guard position == bytes.count else { throw .malformed("something follows the JSON text at byte \(position)") }
  }

  // MARK: Scalars

  package mutating func readBool() throws(JSONError) -> Bool {
    guard try peek() == .boolean else { throw JSONError("must be true or false") }
    if takeWord("true") { return true }
    if takeWord("false") { return false }
    throw .malformed("not a JSON value at byte \(position)")
  }

  /// Parses a whole number in any notation: `7`, `7.0` and `70e-1` are equal. Refuses fractions, and numbers of more
  /// than 18 digits.
  package mutating func readInteger() throws(JSONError) -> Int64 {
    guard try peek() == .number else { throw JSONError("must be a whole number") }
    let start = position
    try skipNumber()
    var index = start
    let isNegative = bytes[start] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let digitsStart = index
    var value: Int64 = 0
    while index < position {
      let digit = bytes[index] &- 48
      // Slow path for fractions and exponents, which are rare.
      guard digit < 10, index - digitsStart < JSON.Limits.integerDigits else {
        value = try DecimalText(bytes[digitsStart..<position]).wholeNumber()
        break
      }
      value = value * 10 + Int64(digit)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// Skips `null` if it is the next value. Returns true if it was.
  package mutating func readNull() throws(JSONError) -> Bool {
    guard try peek() == .null else { return false }
    guard takeWord("null") else { throw .malformed("not a JSON value at byte \(position)") }
    return true
  }

  /// Skips any value.
  package mutating func skip() throws(JSONError) {
    switch try peek() {
    case .object: try readObject { (reader, _) throws(JSONError) in try reader.skip() }
    case .array: try readArray { (reader, _) throws(JSONError) in try reader.skip() }
    case .string: try skipString()
    case .number: try skipNumber()
    case .boolean: _ = try readBool()
    case .null: _ = try readNull()
    }
  }

  /// Returns the text of the next value, validated but unchanged.
  package mutating func readRaw() throws(JSONError) -> [UInt8] {
    _ = try peek()
    let start = position
    try skip()
    return Array(bytes[start..<position])
  }

  // MARK: Positions

  /// A position between two values.
  struct Place {
    fileprivate let position: Int
    fileprivate let depth: Int
  }

  var place: Place { Place(position: position, depth: depth) }

  /// Goes back to a position, to read from there again.
  mutating func go(to place: Place) {
    position = place.position
    depth = place.depth
  }

  // MARK: Internals

  mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipWhitespace()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takeWord(_ word: String) -> Bool {
    let end = position + word.utf8.count
    guard end <= bytes.count, bytes[position..<end].elementsEqual(word.utf8) else { return false }
    position = end
    return true
  }

  private mutating func enter() throws(JSONError) {
    position += 1
    depth += 1
    guard depth <= JSON.Limits.depth else { throw JSONError("is nested deeper than \(JSON.Limits.depth)") }
  }

  private mutating func leave() {
    depth -= 1
  }

  /// Skips a number: [-] int [frac] [exp] (RFC 8259, section 6).
  private mutating func skipNumber() throws(JSONError) {
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let isZero = position < bytes.count && bytes[position] == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, !(isZero && digits > 1) else { throw .malformed("is not a number") }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() > 0 else { throw .malformed("is not a number") }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      guard skipDigits() > 0 else { throw .malformed("is not a number") }
    }
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, bytes[position] &- 48 < 10 { position += 1 }
    return position - start
  }
}

extension JSONError {
  /// The error for an unknown member.
  package static var unknownField: JSONError { JSONError("is not a known field") }
}

/// An unsigned JSON number (RFC 8259, section 6), as digits and the position of the decimal point.
struct DecimalText {
  /// The digits, without leading zeros.
  private var digits: [UInt8] = []
  /// The number of digits before the decimal point; may be negative or exceed the number of digits.
  private var point = 0

  /// Splits a number into digits and exponent.
  /// - Parameter text: a valid JSON number without its sign.
  init(_ text: ArraySlice<UInt8>) {
    var isFraction = false
    var index = text.startIndex
    while index < text.endIndex, text[index] | 0x20 != UInt8(ascii: "e") {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if digits.isEmpty, byte == UInt8(ascii: "0") {
        if isFraction { point -= 1 }
        continue
      }
      digits.append(byte - 48)
      if !isFraction { point += 1 }
    }
    if index < text.endIndex { point += Self.exponent(text[(index + 1)...]) }
    while digits.last == 0 { digits.removeLast() }
  }

  /// Parses an exponent. Capped at a million, beyond which the number is too large or a fraction in any case.
  private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
    var value = 0
    for byte in text where byte >= UInt8(ascii: "0") { value = min(1_000_000, value * 10 + Int(byte - 48)) }
    return text.first == UInt8(ascii: "-") ? -value : value
  }

  func wholeNumber() throws(JSONError) -> Int64 {
    guard !digits.isEmpty else { return 0 }
    guard point >= digits.count else { throw JSONError("must be a whole number") }
    guard point <= JSON.Limits.integerDigits else { throw JSONError("is too large a number") }
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1) }
    return (digits.count..<point).reduce(value) { value, _ in value * 10 }
  }
}

/// The names of an object's members read so far, to detect duplicates.
///
/// Nearly all objects have at most a dozen names, for which comparing one by one is cheaper than hashing. For larger
/// objects, a set keeps the cost per name constant.
struct MemberNames {
  private var few: [String] = []
  private var many: Set<String> = []

  var count: Int { many.isEmpty ? few.count : many.count }

  /// Adds a name. Returns false if it is already present.
  mutating func insert(_ name: String) -> Bool {
    guard many.isEmpty else { return many.insert(name).inserted }
    if few.isEmpty {
      // Avoid a second allocation for the usual number of members.
      few.reserveCapacity(8)
    } else if few.contains(name) {
      return false
    }
    few.append(name)
    if few.count > JSON.Limits.comparedNames { many = Set(few) }
    return true
  }
}
