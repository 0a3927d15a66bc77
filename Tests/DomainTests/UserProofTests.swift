import Crypto
import Testing
import Time

@testable import Domain

@Suite struct UserProofTests {
  private let keyring = UserProofKeyring(key: SymmetricKey.random())
  private let now = Timestamp(seconds: 1_800_000_000)

  private func sign(_ text: String, generation: Int16 = 1) -> [UInt8] {
    let secret = SymmetricKey(Array(keyring.secret(appID: "com.example.bank", generation: generation).utf8))
    return HMAC.authenticationCode(for: Array(text.utf8), using: secret)
  }

  private func verify(_ proof: String, _ clientUID: String = "kim", generation: Int16 = 1) -> Bool {
    keyring.verify(proof, clientUID: clientUID, appID: "com.example.bank", generation: generation, now: now)
  }

  private func base64url(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for index in 0...part.count { text.append(digits[bits >> (18 - 6 * index) & 63]) }
    }
    return text
  }

  private func token(_ header: String, _ claims: String) -> String {
    let text = "\(base64url(Array(header.utf8))).\(base64url(Array(claims.utf8)))"
    return "\(text).\(base64url(sign(text)))"
  }

  @Test func `an HMAC of the user proves that user, with this secret, and nothing else`() {
    let proof = Hex.encode(sign("kim"))
    #expect(verify(proof))
    #expect(verify(proof.uppercased()))
    #expect(!verify(proof, "lee"))
    #expect(!verify(proof, generation: 2))
    #expect(!verify(""))
    #expect(!verify("zz"))
    #expect(
      !keyring.verify(proof, clientUID: "kim", appID: "com.example.other", generation: 1, now: now))
  }

  @Test func `a token proves its subject until it expires`() {
    #expect(verify(token(#"{"alg":"HS256","typ":"JWT"}"#, #"{"sub":"kim","exp":1800000001,"x":[1]}"#)))
    #expect(!verify(token(#"{"alg":"HS256"}"#, #"{"sub":"kim","exp":1800000000}"#)))
    #expect(!verify(token(#"{"alg":"HS256"}"#, #"{"sub":"kim"}"#)))
    #expect(!verify(token(#"{"alg":"HS256"}"#, #"{"sub":"lee","exp":1800000001}"#)))
    #expect(!verify(token(#"{"alg":"none"}"#, #"{"sub":"kim","exp":1800000001}"#)))
    #expect(!verify(token(#"{"alg":"HS256"}"#, "[]")))
    let good = token(#"{"alg":"HS256"}"#, #"{"sub":"kim","exp":1800000001}"#)
    #expect(!verify(String(good.dropLast(2)) + "AA"))
    #expect(!verify("a.b.c"))
  }
}
