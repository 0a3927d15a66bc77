import Testing

@testable import Domain

@Suite struct HexTests {
  @Test func `bytes become digits and come back, in either case`() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
    #expect(Hex.encode([0x00, 0x0F, 0xF0, 0xFF]) == "000ff0ff")
  }

  @Test(arguments: ["a", "abc", "g0", "0x", " 0", "é0"]) func `what is no hex is refused`(text: String) {
    #expect(Hex.decode(text) == nil)
  }
}
