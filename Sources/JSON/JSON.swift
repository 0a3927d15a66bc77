/// JSON (RFC 8259) read and written as a stream, without a tree in between.
///
/// The device calls are small and many, so they are read straight into values: about a tenth of the time that
/// Foundation's decoder needs. Every error carries a JSON pointer (RFC 6901) to the field, because the answer to a
/// wrong request names it.
///
/// `JSONReader` walks the bytes once, front to back; `JSONWriter` appends. Both are plain values without I/O.
package enum JSON {
  /// False when no object of a text has a member of this name, as far as names are written without escapes. A look of a
  /// nanosecond or two a byte, where the library's search for a part of a collection takes a hundred.
  /// - Parameter name: ASCII.
  package static func mayName(_ name: StaticString, in text: [UInt8]) -> Bool {
    let count = name.utf8CodeUnitCount
    let name = Array("\(name)".utf8)
    var index = 0
    while index + count + 1 < text.count {
      defer { index += 1 }
      guard text[index] == UInt8(ascii: "\""), text[index + count + 1] == UInt8(ascii: "\"") else { continue }
      var matched = 0
      while matched < count, text[index + 1 + matched] == name[matched] { matched += 1 }
      if matched == count { return true }
    }
    return false
  }

  package enum Limits {
    /// Objects and arrays inside one another. Deeper input is refused: our own shapes need 6.
    package static let depth = 32
    /// Digits of an integer: what fits `Int64` without overflow checks on each digit.
    package static let integerDigits = 18
    /// Members of one object. Our own shapes have 45 at most; of the free ones (`data`, `contentState`) no payload of 4 KiB
    /// has room for 700.
    package static let members = 1_000
    /// Names that are compared one by one before a set is made of them: what a device sends has fewer.
    static let comparedNames = 16
  }
}
