import Testing

@testable import Crypto

@Suite struct DigestTests {
  /// FIPS 180-2, appendix B; the empty one is NIST's.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 is what the standard says`(text: String, digest: String) {
    #expect(SHA256.hash(Array(text.utf8)) == bytes(digest))
  }

  @Test func `a text in parts has the digest of the whole`() {
    var hash = SHA256()
    for _ in 0..<1000 { hash.update([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
    hash.update([])
    #expect(hash.finalize() == bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
  }

  /// RFC 4231: cases 1, 2, 3 and 6, whose key is longer than a block.
  @Test(arguments: [
    (
      String(repeating: "0b", count: 20), "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      String(repeating: "aa", count: 131),
      """
      54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374
      """,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC is what the standard says, each time`(key: String, message: String, code: String) {
    for isValidated in [false, true] {
      let hmac = HMAC(key: SymmetricKey(bytes(key)), validated: isValidated)
      for _ in 0..<3 {
        #expect(hmac.authenticationCode(for: bytes(message)) == bytes(code))
        #expect(hmac.authenticationCode(for: []) != bytes(code))
      }
    }
    #expect(HMAC.authenticationCode(for: bytes(message), using: SymmetricKey(bytes(key))) == bytes(code))
  }

  @Test func `an empty key is a key`() {
    let code = HMAC.authenticationCode(for: [], using: SymmetricKey([]))
    #expect(code == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
    #expect(HMAC(key: SymmetricKey([]), validated: true).authenticationCode(for: []) == code)
  }

  /// RFC 5869, A.3.
  @Test func `HKDF is what the standard says`() {
    let key = KeyDerivation.hkdf(SymmetricKey([UInt8](repeating: 0x0B, count: 22)), purpose: "", count: 42)
    #expect(
      key.bytes == bytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
  }

  /// RFC 7914, section 12.
  @Test(arguments: [
    (
      "", "", UInt64(16), UInt64(1), UInt64(1),
      """
      77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
      fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
      """
    ),
    (
      "password", "NaCl", 1024, 8, 16,
      """
      fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
      2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
      """
    ),
  ])
  func `scrypt is what the standard says`(
    password: String, salt: String, rounds: UInt64, blockSize: UInt64, parallelism: UInt64, key: String
  ) {
    let made = KeyDerivation.scrypt(
      password, salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize, parallelism: parallelism, count: 64)
    #expect(made.bytes == bytes(key))
  }

  @Test func `what differs anywhere is not equal`() {
    #expect(ConstantTime.isEqual([1, 2, 3], [1, 2, 3]) && ConstantTime.isEqual([], []))
    for other: [UInt8] in [[], [1, 2], [1, 2, 3, 0], [0, 2, 3], [1, 2, 2]] {
      #expect(!ConstantTime.isEqual([1, 2, 3], other))
    }
  }

  @Test func `a secret key prints as its length`() {
    #expect("\(SymmetricKey([0x42, 0x42]))" == "key of 2 bytes")
    #expect(SymmetricKey.random().bytes != SymmetricKey.random().bytes && SymmetricKey.random().bytes.count == 32)
  }
}
