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
