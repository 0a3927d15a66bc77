/// The bytes of published vectors.
func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.filter { !$0.isWhitespace }
  precondition(digits.count % 2 == 0)
  return stride(from: 0, to: digits.count, by: 2).compactMap { start in
    UInt8(digits.dropFirst(start).prefix(2), radix: 16)
  }
}
