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
  }
}
