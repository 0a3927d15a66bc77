/// JSON (RFC 8259) read and written as a stream, without a tree in between.
///
/// The devices' requests are small and frequent, so they are read directly into values, in about a tenth of the time
/// that Foundation's decoder takes. Every error carries a JSON pointer (RFC 6901) to the field, which the response to
/// an invalid request reports.
///
/// `JSONReader` walks the bytes once, front to back; `JSONWriter` appends. Both are plain values without I/O.
package enum JSON {
  /// Returns false if no object in the text has a member of this name, as far as names are written without escapes.
  /// Takes a nanosecond or two per byte, where the library's subsequence search takes a hundred.
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
    /// Nesting depth of objects and arrays. Deeper input is refused: our own shapes need 6.
    package static let depth = 32
    /// Digits of an integer: as many as fit into `Int64` without an overflow check per digit.
    package static let integerDigits = 18
    /// Members per object. Our own shapes have at most 45, and in a payload of 4 KiB the free-form ones (`data`,
    /// `contentState`) have no room for 700.
    package static let members = 1_000
    /// Errors reported of one text: as many as a person mends at a time.
    package static let errors = 20
    /// Number of names compared one by one before a set is used; devices send fewer.
    static let comparedNames = 16
  }
}
