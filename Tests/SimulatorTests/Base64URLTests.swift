import Testing

@testable import Simulator

@Suite struct `Base64 for URLs` {
  @Test func `bytes of every length come back, without padding`() {
    for count in 0..<10 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
      let text = Array(Base64URL.encode(bytes).utf8)
      #expect(Base64URL.decode(text.span) == bytes)
      #expect(!text.contains(0x3D))
    }
  }

  @Test(arguments: ["a", "a=", "a+bc", "a/bc", "ab c", "abcde"])
  func `foreign characters and impossible lengths are refused`(text: String) {
    let bytes = Array(text.utf8)
    #expect(Base64URL.decode(bytes.span) == nil)
  }
}
