internal import Reactor

/// Generates request ids of 64 random bits, so that an id reveals neither the next one nor the number of requests.
/// Among a hundred million requests, the probability that two share an id is about 1 in 4,000; their times distinguish
/// them.
struct RequestID {
  private var numbers = RandomNumbers()

  mutating func next() -> UInt64 { numbers.next() }

  /// Returns the id as sixteen lower-case hexadecimal digits.
  static func text(_ number: UInt64) -> String {
    let (high, low) = hexadecimal(number)
    let digits = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * UInt64($0 % 8))) }
    return String(decoding: digits, as: UTF8.self)
  }

  @inline(__always)
  static func append(_ number: UInt64, to output: inout ByteBuffer) {
    let (high, low) = hexadecimal(number)
    output.append(bigEndian: high)
    output.append(bigEndian: low)
  }

  /// Returns the sixteen ASCII digits in two words, first digit highest. Computes eight digits at a time, without a
  /// table or a branch.
  private static func hexadecimal(_ number: UInt64) -> (UInt64, UInt64) {
    (digits(of: UInt32(truncatingIfNeeded: number >> 32)), digits(of: UInt32(truncatingIfNeeded: number)))
  }

  @inline(__always)
  private static func digits(of number: UInt32) -> UInt64 {
    // Spread the eight half-bytes over eight bytes …
    var spread = UInt64(number)
    spread = (spread & 0xFFFF_0000) << 16 | spread & 0xFFFF
    spread = (spread << 8 | spread) & 0x00FF_00FF_00FF_00FF
    spread = (spread << 4 | spread) & 0x0F0F_0F0F_0F0F_0F0F
    // … and add "0", or the distance to "a" if the half-byte is above nine.
    let aboveNine = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ aboveNine &* 0x27
  }
}
