import Testing

@testable import Operations

@Suite struct RandomTokenTests {
  @Test(
    arguments: [
      ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"), ([0xFB, 0xFF, 0xFE], "-__-"),
      ([0x66, 0x6F, 0x6F, 0x62], "Zm9vYg"),
    ] as [([UInt8], String)])
  func `bytes become base64url without padding`(bytes: [UInt8], text: String) {
    #expect(RandomToken.encode(bytes) == text)
  }

  @Test func `tokens have 43 characters, each its own`() {
    let tokens = Set((0..<100).map { _ in RandomToken.make() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.count == 43 })
  }
}
