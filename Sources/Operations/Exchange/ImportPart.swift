/// A part of an import's file, as it was sent.
package struct ImportPart: Sendable {
  /// Number of the part, counted from 1.
  let number: Int32
  let bytes: [UInt8]
  let isLast: Bool

  package init(number: Int32, bytes: [UInt8], isLast: Bool) {
    self.number = number
    self.bytes = bytes
    self.isLast = isLast
  }
}
