import FoundationEssentials
import Testing

@testable import Crypto

@Suite struct SignatureTests {
  private static func decode(_ text: String) throws -> [UInt8] {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Array(
      try #require(Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))))
  }

  private static func pem(_ kind: String, _ der: [UInt8]) -> String {
    "-----BEGIN \(kind)-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END \(kind)-----\n"
  }

  private static let claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  /// RFC 7515, A.3.
  @Test func `ES256 is what the standard says`() throws {
    let (x, y) = (
      try Self.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
      try Self.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    )
    // SubjectPublicKeyInfo: id-ecPublicKey on prime256v1, then the point.
    let der = bytes("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + x + y
    let key = try P256.PublicKey(pem: Self.pem("PUBLIC KEY", der))
    #expect(key.der == der)
    let message = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.claims)".utf8)
    let signature = try Self.decode(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    #expect(signature.count == 64 && key.isValid(signature, for: message))
    #expect(!key.isValid(signature, for: message + [0]) && !key.isValid(signature.reversed(), for: message))
  }

  /// RFC 7515, A.2.
  @Test func `RS256 is what the standard says`() throws {
    let modulus = try Self.decode(
      """
      ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-\
      pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2Ca\
      pHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb5\
      4h4FRWyuXpoQ
      """)
    // SubjectPublicKeyInfo: rsaEncryption, then the modulus and the exponent 65537.
    let der =
      bytes("30820122300d06092a864886f70d01010105000382010f003082010a0282010100") + modulus + bytes("0203010001")
    let key = try RSA.PublicKey(pem: Self.pem("PUBLIC KEY", der))
    #expect(key.der == der)
    let message = Array("eyJhbGciOiJSUzI1NiJ9.\(Self.claims)".utf8)
    let signature = try Self.decode(
      """
      cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr\
      7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--x\
      i12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_Ioy\
      pGlUPQGe77Rw
      """)
    #expect(key.isValid(signature, for: message))
    #expect(!key.isValid(signature, for: message + [0]) && !key.isValid([], for: message))
  }

  @Test func `a key signs, is written and read again`() throws {
    let (p256, rsa) = (P256.PrivateKey(), RSA.PrivateKey())
    let message = Array("a message".utf8)
    for _ in 0..<50 {
      // Leading zeros of r or s are among so many.
      let signature = try P256.PrivateKey(pem: p256.pem).signature(for: message)
      #expect(signature.count == 64 && p256.publicKey.isValid(signature, for: message))
    }
    #expect(try P256.PublicKey(pem: p256.publicKey.pem).isValid(p256.derSignature(for: message), for: message))
    #expect(!P256.PrivateKey().publicKey.isValid(p256.signature(for: message), for: message))
    #expect(
      try RSA.PublicKey(pem: rsa.publicKey.pem).isValid(
        RSA.PrivateKey(pem: rsa.pem).signature(for: message), for: message))
    #expect(p256.pem.hasPrefix("-----BEGIN PRIVATE KEY-----") && rsa.pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
  }

  /// RFC 6979, A.2.6: a key on P-384, in PKCS #8.
  @Test func `a key on another curve is none`() {
    let der = bytes(
      """
      304e020100301006072a8648ce3d020106052b81040022043730350201010430
      6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5
      """)
    #expect(throws: UnusableKey("is no key on the curve P-256")) {
      try P256.PrivateKey(pem: Self.pem("PRIVATE KEY", der))
    }
  }

  @Test func `keys of another kind are none, nor is what is no key`() throws {
    let (p256, rsa) = (P256.PrivateKey(), RSA.PrivateKey())
    #expect(throws: UnusableKey.self) { try P256.PrivateKey(pem: rsa.pem) }
    #expect(throws: UnusableKey.self) { try RSA.PrivateKey(pem: p256.pem) }
    #expect(throws: UnusableKey.self) { try P256.PrivateKey(pem: p256.publicKey.pem) }
    #expect(throws: UnusableKey.self) { try P256.PublicKey(pem: p256.pem) }
    for text in ["", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
      #expect(throws: UnusableKey.self) { try P256.PrivateKey(pem: text) }
      #expect(throws: UnusableKey.self) { try RSA.PublicKey(pem: text) }
    }
    #expect(ErrorQueue.drain() == [], "what failed is told by the error that was thrown")
  }

  @Test func `no passphrase is asked for`() {
    let text = """
      -----BEGIN ENCRYPTED PRIVATE KEY-----
      MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgAAAAAAAAAAAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAAAAAAAAAAA
      -----END ENCRYPTED PRIVATE KEY-----
      """
    #expect(throws: UnusableKey.self) { try P256.PrivateKey(pem: text) }
  }
}
