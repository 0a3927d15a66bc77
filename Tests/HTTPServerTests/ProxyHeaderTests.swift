import Reactor
import Testing

@testable import HTTPServer

/// HAProxy's `proxy-protocol.txt` §2.2, to the letter.
@Suite struct ProxyHeaderTests {
  static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

  /// A header with this command, family, and addresses with extensions behind them.
  static func header(_ rest: [UInt8]) -> [UInt8] { header(0x21, 0x11, rest) }

  static func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
    signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
  }

  static let v4: [UInt8] = [192, 0, 2, 7, 127, 0, 0, 1, 0x12, 0x67, 0, 80]
  static let v6: [UInt8] =
    [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 16) + [
      0x12, 0x67, 0, 80,
    ]

  /// "incomplete", "refused", "itself", or the client.
  private func outcome(_ bytes: [UInt8], inPiecesOf size: Int = .max) -> String {
    var header = ProxyHeader()
    var index = 0
    while let awaited = header.awaitedBytes {
      let count = min(awaited, size, bytes.count - index)
      guard count > 0 else { return "incomplete" }
      guard header.take(Array(bytes[index..<index + count])) else { return "refused" }
      index += count
    }
    return index == bytes.count ? header.client?.description ?? "itself" : "took \(index)"
  }

  @Test(arguments: [1, 5, Int.max]) func `a client is named, however the bytes arrive`(_ size: Int) {
    #expect(outcome(Self.header(Self.v4), inPiecesOf: size) == "192.0.2.7:4711")
    #expect(outcome(Self.header(0x21, 0x21, Self.v6), inPiecesOf: size) == "[2001:db8::7]:4711")
    #expect(outcome(Self.header(Self.v4 + [4, 0, 2, 9, 9, 0xEE, 0, 0]), inPiecesOf: size) == "192.0.2.7:4711")
  }

  @Test func `a proxy may speak for itself, or not know`() {
    #expect(outcome(Self.header(0x20, 0x00, [])) == "itself")
    #expect(outcome(Self.header(0x20, 0x11, Self.v4)) == "itself")
    #expect(outcome(Self.header(0x21, 0x00, [])) == "itself")
    #expect(outcome(Self.header(0x21, 0x31, [UInt8](repeating: 0, count: 216))) == "itself")
  }

  @Test func `a header is incomplete until its last byte`() {
    let whole = Self.header(Self.v4)
    for count in 0..<whole.count { #expect(outcome(Array(whole[..<count])) == "incomplete") }
  }

  @Test func `what is not to the letter is refused`() {
    for index in Self.signature.indices {
      var wrong = Self.header(Self.v4)
      wrong[index] ^= 1
      #expect(outcome(wrong) == "refused")
    }
    #expect(outcome(Array("PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n".utf8)) == "refused")
    #expect(outcome(Self.header(0x11, 0x11, Self.v4)) == "refused")
    #expect(outcome(Self.header(0x22, 0x11, Self.v4)) == "refused")
    #expect(outcome(Self.header(0x21, 0x12, Self.v4)) == "refused")
    #expect(outcome(Self.header(0x21, 0x41, Self.v4)) == "refused")
    #expect(outcome(Self.header(0x21, 0x11, Array(Self.v4.dropLast()))) == "refused")
    #expect(outcome(Self.header(0x21, 0x21, Self.v4)) == "refused")
    #expect(outcome(Self.header(Self.v4 + [4])) == "refused")
    #expect(outcome(Self.header(Self.v4 + [4, 0, 3, 1, 2])) == "refused")
  }

  @Test func `a header of 4,096 bytes is taken, one more is refused`() {
    func padded(_ count: Int) -> [UInt8] {
      let value = count - 16 - 12 - 3
      return Self.header(Self.v4 + [4, UInt8(value >> 8), UInt8(value & 0xFF)] + [UInt8](repeating: 0, count: value))
    }
    #expect(outcome(padded(4_096)) == "192.0.2.7:4711")
    #expect(outcome(padded(4_097)) == "refused")
  }
}
