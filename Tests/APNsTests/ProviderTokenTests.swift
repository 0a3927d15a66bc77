import APNs
import Crypto
import Testing

@Suite struct ProviderTokenTests {
  private let key = P256.PrivateKey()
  /// A key on another curve, P-384: that of RFC 6979, A.2.6.
  private static let otherCurve =
    "-----BEGIN PRIVATE KEY-----\n"
    + "ME4CAQAwEAYHKoZIzj0CAQYFK4EEACIENzA1AgEBBDBrnT2tLhuMHAWxmHW2ZZ9N\n"
    + "4jw7Znvyl7qapHdAeHE32JbVck5McKgl+HLJ6mDS7fU=\n-----END PRIVATE KEY-----\n"

  private func decode(_ text: Substring) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var bits: UInt32 = 0
    var count = 0
    var bytes: [UInt8] = []
    for character in text {
      bits = bits << 6 | UInt32(alphabet.firstIndex(of: character)!)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> UInt32(count) & 255))
      }
    }
    return bytes
  }

  @Test func `a token has the three parts Apple wants and a signature that holds`() throws {
    let signer = try SigningKey(p8: key.pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    let token = try signer.mint(issuedAt: 1_767_225_600)
    let parts = token.value.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 3)
    #expect(String(decoding: decode(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(String(decoding: decode(parts[1]), as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1767225600}"#)
    let raw = decode(parts[2])
    #expect(raw.count == 64)
    #expect(key.publicKey.isValid(raw, for: Array("\(parts[0]).\(parts[1])".utf8)))
    #expect(token.issuedAt == 1_767_225_600 && token.key.keyID == "ABC123DEFG" && token.key.teamID == "DEF123GHIJ")
  }

  @Test func `a token is good for an hour and due before`() {
    let token = ProviderToken(KeyName(teamID: "T", keyID: "K", fingerprint: "f"), value: "v", issuedAt: 10_000)
    #expect(token.isGood(atSeconds: 10_000) && !token.isDue(atSeconds: 10_000))
    #expect(!token.isDue(atSeconds: 12_999) && token.isDue(atSeconds: 13_000) && token.isGood(atSeconds: 13_000))
    #expect(token.isGood(atSeconds: 13_539) && !token.isGood(atSeconds: 13_540))
  }

  @Test func `anything but a P-256 key in PEM is refused with a reason`() {
    func error(_ p8: String, keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ") -> SigningKeyError? {
      do throws(SigningKeyError) {
        _ = try SigningKey(p8: p8, keyID: keyID, teamID: teamID)
        return nil
      } catch {
        return error
      }
    }
    let good = key.pem
    #expect(error(good) == nil)
    #expect(error("") == .notPEM)
    #expect(error("hello") == .notPEM)
    #expect(error(Self.otherCurve) == .notP256)
    #expect(error(RSA.PrivateKey().pem) == .notP256)
    #expect(error(key.publicKey.pem) == .notPEM)
    #expect(error("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----") == .encrypted)
    #expect(error("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----") == .certificate)
    #expect(error("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----") == .notP256)
    #expect(error(good, keyID: "short") == .badKeyID("short"))
    #expect(error(good, keyID: "ABC\"23DEFG") == .badKeyID("ABC\"23DEFG"))
    #expect(error(good, teamID: "DEF123GHIJK") == .badTeamID("DEF123GHIJK"))
  }
}
