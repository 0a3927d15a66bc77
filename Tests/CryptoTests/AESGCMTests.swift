import Testing

@testable import Crypto

@Suite struct AESGCMTests {
  struct Vector: Sendable {
    let key: String
    let nonce: String
    let plaintext: String
    let context: String
    let ciphertextAndTag: String
  }

  /// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13, 14 and 16.
  static let vectors = [
    Vector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plaintext: "", context: "",
      ciphertextAndTag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plaintext: String(repeating: "00", count: 16), context: "",
      ciphertextAndTag: "cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """,
      context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertextAndTag: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
        """),
  ]

  @Test(arguments: vectors) func `sealing is what its authors say`(_ vector: Vector) {
    let key = SymmetricKey(bytes(vector.key))
    let (nonce, context) = (bytes(vector.nonce), bytes(vector.context))
    let sealed = AESGCM.seal(bytes(vector.plaintext), using: key, nonce: nonce, authenticating: context)
    #expect(sealed == nonce + bytes(vector.ciphertextAndTag))
    #expect(AESGCM.open(sealed, using: key, authenticating: context) == bytes(vector.plaintext))
  }

  @Test func `what was changed anywhere does not open`() {
    let (key, context) = (SymmetricKey.random(), Array("place".utf8))
    let sealed = AESGCM.seal(Array("a secret".utf8), using: key, authenticating: context)
    #expect(AESGCM.open(sealed, using: key, authenticating: context) == Array("a secret".utf8))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(AESGCM.open(changed, using: key, authenticating: context) == nil, "byte \(index)")
    }
    for count in 0..<sealed.count {
      #expect(AESGCM.open(Array(sealed.prefix(count)), using: key, authenticating: context) == nil, "\(count) bytes")
    }
    #expect(AESGCM.open(sealed, using: .random(), authenticating: context) == nil)
    #expect(AESGCM.open(sealed, using: SymmetricKey([]), authenticating: context) == nil)
    #expect(AESGCM.open(sealed, using: key, authenticating: []) == nil)
  }

  @Test func `the same text is sealed differently each time`() {
    let key = SymmetricKey.random()
    let sealed = Set((0..<100).map { _ in AESGCM.seal([1], using: key, authenticating: []) })
    #expect(sealed.count == 100)
  }
}
