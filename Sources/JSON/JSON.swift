/// JSON (RFC 8259) read and written as a stream, without a tree in between.
///
/// The device calls are small and many, so they are read straight into values: about a tenth of the time that
/// Foundation's decoder needs. Every error carries a JSON pointer (RFC 6901) to the field, because the answer to a
/// wrong request names it.
///
/// `JSONReader` walks the bytes once, front to back; `JSONWriter` appends. Both are plain values without I/O.
package enum JSON {
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
