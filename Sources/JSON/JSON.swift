// A sentence's literals are members of `PlainText`, so whoever uses this module sees that one too.
@_exported public import PlainText

/// Reads and writes JSON (RFC 8259) as a stream, without a tree in between.
///
/// The devices' requests are small and frequent, so they are read directly into values, in about a tenth of the time
/// that Foundation's decoder takes. Every error carries a JSON pointer (RFC 6901) to the field, which the response to
/// an invalid request reports.
///
/// `JSONReader` walks the bytes once, front to back; `JSONWriter` appends. Both are plain values without I/O.
package enum JSON {
  /// Returns false if certainly no object in the text has a member of this name, assuming that names contain no
  /// escapes. Takes one or two nanoseconds per byte, where the library's subsequence search takes a hundred.
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
    /// Maximum nesting depth of objects and arrays; our own formats need 6.
    package static let depth = 32
    /// Maximum digits of an integer: as many as fit into `Int64` without an overflow check per digit.
    static let integerDigits = 18
    /// Maximum members of an object. Our own formats have at most 45, and the free-form ones (`data`, `contentState`)
    /// have no room for 700 in a payload of 4 KiB.
    package static let members = 1_000
    /// Maximum errors reported of one text: as many as a person fixes at a time.
    package static let errors = 20
    /// The number of names up to which duplicates are found by comparing one by one instead of by a set.
    static let comparedNames = 16
  }
}
