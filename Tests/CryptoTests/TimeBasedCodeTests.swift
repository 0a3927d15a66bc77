import Testing

@testable import Crypto

@Suite struct TimeBasedCodeTests {
  /// RFC 6238, appendix B: the last six of its eight digits.
  @Test(
    arguments: [
      (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ] as [(Int64, String)])
  func `codes are the standard's`(_ seconds: Int64, _ code: String) {
    let secret = Array("12345678901234567890".utf8)
    #expect(TimeBasedCode.code(of: secret, step: TimeBasedCode.step(at: seconds)) == code)
  }
}

@Suite struct PublicKeyPartsTests {
  @Test func `a P-256 key from its coordinates verifies what its other half signed`() throws {
    let key = P256.PrivateKey()
    // A SubjectPublicKeyInfo ends with both coordinates.
    let point = Array(key.publicKey.der.suffix(64))
    let made = try P256.PublicKey(x: Array(point.prefix(32)), y: Array(point.suffix(32)))
    #expect(made.der == key.publicKey.der)
    #expect(made.isValid(key.signature(for: [1, 2, 3]), for: [1, 2, 3]))
    #expect(!made.isValid(key.signature(for: [1, 2, 3]), for: [1, 2]))
  }

  @Test func `a point beside the curve is no key`() {
    #expect(throws: UnusableKey.self) {
      try P256.PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 2, count: 32))
    }
    #expect(throws: UnusableKey.self) { try P256.PublicKey(x: [1], y: [2]) }
  }

  @Test func `an RSA key from its numbers verifies what its other half signed`() throws {
    let key = RSA.PrivateKey()
    // Where a SubjectPublicKeyInfo of 2,048 bits holds the modulus.
    let modulus = Array(key.publicKey.der[33..<289])
    let made = try RSA.PublicKey(modulus: modulus, exponent: [1, 0, 1])
    #expect(made.der == key.publicKey.der)
    #expect(made.isValid(key.signature(for: [1, 2, 3]), for: [1, 2, 3]))
    #expect(throws: UnusableKey.self) {
      try RSA.PublicKey(modulus: Array(modulus.suffix(128)), exponent: [1, 0, 1])
    }
  }
}
