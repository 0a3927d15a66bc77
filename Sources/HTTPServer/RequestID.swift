internal import Reactor

/// Numbers requests so that no two of one server are alike and nobody can guess the next: a counter that starts
/// anywhere, stirred by a bijection (the finalizer of SplitMix64).
struct RequestID {
  private var counter = UInt64.random(in: .min ... .max)

  mutating func next() -> UInt64 {
    counter &+= 0x9E37_79B9_7F4A_7C15
    var number = counter
    number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
    return number ^ number >> 31
  }

  /// Sixteen lower-case hexadecimal digits.
  static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  @inline(__always)
  static func append(_ number: UInt64, to output: inout ByteBuffer) {
    let (high, low) = hexadecimal(number)
    output.append(bigEndian: high)
    output.append(bigEndian: low)
  }

  /// The sixteen ASCII digits in two words, first digit highest. Eight digits at a time, without a table or a branch.
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
    // … and add "0", or the distance to "a" where the half-byte is above nine.
    let aboveNine = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ aboveNine &* 0x27
  }
}
