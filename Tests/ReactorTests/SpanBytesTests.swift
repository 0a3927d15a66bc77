import Reactor
import Testing

@Suite struct SpanBytesTests {
  private let plain = Array("abcdefghijklmnopqrstuvwxyz".utf8)

  private func plainEnd(of bytes: [UInt8], from start: Int) -> Int { bytes.span.endOfPlainText(from: start) }
  private func hasCapital(_ bytes: [UInt8]) -> Bool { bytes.span.hasCapitalHexDigit }
  private func has(_ text: StaticString, at offset: Int) -> Bool { plain.span.hasText(text, at: offset) }

  @Test(arguments: [0x00, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xC3, 0xFF, 0x20, 0x21, 0x23, 0x5B, 0x5D] as [UInt8])
  func `plain text ends at its first special byte, wherever that is`(byte: UInt8) {
    let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
    for start in [0, 1, 9] {
      for place in start..<plain.count {
        var bytes = plain
        bytes[place] = byte
        // Another one behind it, which a borrow could confuse with it.
        if place + 1 < bytes.count { bytes[place + 1] = 0x22 }
        let end = place + 1 < bytes.count ? place + 1 : bytes.count
        #expect(plainEnd(of: bytes, from: start) == (isPlain ? end : place))
      }
    }
    #expect(plainEnd(of: plain, from: 3) == plain.count)
    #expect(plainEnd(of: [], from: 0) == 0)
  }

  @Test func `a capital digit is found wherever it is, and no other byte`() {
    for byte in UInt8(0)..<0x80 {
      for place in plain.indices {
        var bytes = plain
        bytes[place] = byte
        #expect(hasCapital(bytes) == (0x41...0x46).contains(byte), "\(byte) at \(place)")
      }
    }
  }

  @Test func `a text is found at its place alone, and nowhere beyond the end`() {
    #expect(has("cde", at: 2))
    #expect(!has("cde", at: 1))
    #expect(has("yz", at: 24))
    #expect(!has("yz!", at: 24))
    #expect(!has("z", at: 26))
    #expect(!has("a", at: -1))
    #expect(has("", at: 26))
  }
}
