/// Encodes public keys from their numbers, which JSON Web Keys contain (RFC 7518 §6).
///
/// The numbers become a SubjectPublicKeyInfo (RFC 5480, RFC 8017), which OpenSSL parses and checks: a point must be on
/// its curve.
enum PublicKeyParts {
  private static let sequence: UInt8 = 0x30
  private static let integer: UInt8 = 0x02
  private static let bitString: UInt8 = 0x03
  /// The algorithm identifier rsaEncryption, with its NULL parameters.
  private static let rsaAlgorithm: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  /// The algorithm identifier id-ecPublicKey with the curve prime256v1.
  private static let p256Algorithm: [UInt8] = [
    0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
  ]

  /// Returns an RSA key as SubjectPublicKeyInfo, in DER.
  /// - Parameters:
  ///   - modulus: big-endian.
  ///   - exponent: big-endian.
  static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    let key = wrap(sequence, number(modulus) + number(exponent))
    return wrap(sequence, wrap(sequence, rsaAlgorithm) + wrap(bitString, [0] + key))
  }

  /// Returns a P-256 key as SubjectPublicKeyInfo, in DER.
  /// - Parameters:
  ///   - x: the x coordinate, 32 bytes, big-endian.
  ///   - y: the y coordinate, 32 bytes, big-endian.
  static func p256(x: [UInt8], y: [UInt8]) -> [UInt8] {
    wrap(sequence, wrap(sequence, p256Algorithm) + wrap(bitString, [0, 4] + x + y))
  }

  private static func number(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    // With its highest bit set, the number would be read as negative: prepend a zero byte.
    return wrap(integer, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
  }

  private static func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    if count < 0x80 { return [tag, UInt8(count)] + content }
    var length: [UInt8] = []
    var rest = count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
