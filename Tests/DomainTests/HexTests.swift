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

  private func word(_ text: [UInt8], _ range: Range<Int>) -> UInt64? { Hex.word(text.span, range) }

  @Test func `digits in either case are a number, and any other byte is none`() {
    #expect(word(Array("0123456789abcdef".utf8), 0..<16) == 0x0123_4567_89AB_CDEF)
    #expect(word(Array("xxABCDEFxx".utf8), 2..<8) == 0xAB_CDEF)
    for byte in UInt8.min...UInt8.max {
      let text = [UInt8(ascii: "1"), byte, UInt8(ascii: "2")]
      let expected = Hex.value(of: byte).map { 0x102 | UInt64($0) << 4 }
      #expect(word(text, 0..<3) == expected, "\(byte)")
    }
  }

  @Test func `each of eight digits is looked at, wherever it is`() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<10 {
        var text = Array("0123456789".utf8)
        text[place] = byte
        let shift = UInt64(4 * (9 - place))
        let others = 0x01_2345_6789 & ~(UInt64(0xF) << shift)
        let expected = Hex.value(of: byte).map { others | UInt64($0) << shift }
        #expect(word(text, 0..<10) == expected, "\(byte) at \(place)")
      }
    }
  }

  @Test func `the highest digits of a number are written at their place`() {
    var text = Array("................".utf8)
    var digits = text.mutableSpan
    Hex.write(0x0123_4567_89AB_CDEF, digits: 4, at: 1, to: &digits)
    Hex.write(0xFEDC_0000_0000_0000, digits: 2, at: 14, to: &digits)
    #expect(String(decoding: text, as: UTF8.self) == ".0123.........fe")
  }
}
