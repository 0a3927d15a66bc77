import Testing

@testable import Reactor

/// Networks in CIDR notation.
@Suite struct AddressRangeTests {
  private func address(_ host: String) throws -> SocketAddress {
    try #require(SocketAddress.resolve(host: host, port: 80).first)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
    ("10.1.2.3", "10.1.2.4", false), ("10.1.2.128/25", "10.1.2.129", true), ("10.1.2.128/25", "10.1.2.127", false),
    ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "192.0.2.1", true), ("::1", "::1", true),
    ("127.0.0.0/8", "::ffff:127.0.0.1", true), ("::ffff:10.0.0.0/104", "10.9.9.9", true),
  ])
  func `an address is in its network and in no other`(range: String, host: String, expected: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(try address(host)) == expected)
  }

  @Test func `a Unix socket is in no network`() throws {
    #expect(!(try #require(AddressRange("::/0"))).contains(.unknown))
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "localhost",
    "10.0.0.256", "10.0.0.0/8 ", "example.com/8", "face", "10.0.0.0/99999999999999999999",
  ])
  func `what is no network is refused`(text: String) {
    #expect(AddressRange(text) == nil)
  }
}
