import WebhookDelivery
import Testing

@Suite struct SignatureTests {
  /// The secret of the specification's examples, `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`.
  private let secret: [UInt8] = [
    0x31, 0xF2, 0x90, 0xF6, 0xBF, 0x06, 0x29, 0x8A, 0xAB, 0x4F, 0x08, 0xD4, 0x3C, 0x3F, 0x08, 0x2C, 0xF6, 0x48, 0xA3,
    0x62, 0xDA, 0x2D, 0xA4, 0xB0,
  ]

  /// Made with another program.
  @Test func `the signature is that of the specification`() {
    let body = Array(#"{"test": 2432232314}"#.utf8)
    #expect(
      Signature.sign(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: body, secret: secret)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func `another time, id or body has another signature`() {
    func sign(_ id: String, _ seconds: Int64, _ body: String) -> String {
      Signature.sign(id: id, seconds: seconds, body: Array(body.utf8), secret: secret)
    }
    let signatures = [sign("a", 1, "{}"), sign("b", 1, "{}"), sign("a", 2, "{}"), sign("a", 1, "[]")]
    #expect(Set(signatures).count == 4)
  }
}
