import Reactor
import Testing

@Suite struct IPAddressTests {
  @Test func `addresses are read as inet_pton reads them, and written back`() {
    for text in ["192.0.2.7", "0.0.0.0", "2001:db8::1", "::1", "fe80::"] {
      #expect(IPAddress(text)?.description == text)
    }
    let wrong = [
      "", "192.0.2", "192.0.2.256", "192.0.2.7:80", "[::1]", "::1%lo", "a", "1.2.3.4\u{0}", " ::1", "01.2.3.4",
    ]
    for text in wrong { #expect(IPAddress(text) == nil, "\(text)") }
  }

  @Test func `an IPv4 address is the same by whichever socket it came`() throws {
    #expect(IPAddress("::ffff:192.0.2.7") == IPAddress("192.0.2.7"))
    let mapped = try #require(SocketAddress.resolve(host: "::ffff:127.0.0.1", port: 80).first)
    let plain = try #require(SocketAddress.resolve(host: "127.0.0.1", port: 80).first)
    #expect(mapped.ip == plain.ip)
    #expect(mapped.isLoopback && plain.isLoopback)
    #expect(try SocketAddress.resolve(host: "::1", port: 80)[0].isLoopback)
    #expect(try !SocketAddress.resolve(host: "2001:db8::1", port: 80)[0].isLoopback)
  }

  @Test func `a socket address can be made of an address and a port`() throws {
    for text in ["192.0.2.7", "2001:db8::1"] {
      let made = SocketAddress(ip: try #require(IPAddress(text)), port: 4_711)
      #expect(try made == SocketAddress.resolve(host: text, port: 4_711)[0])
      #expect(made.host == text && made.port == 4_711)
    }
  }

  @Test func `a block holds its addresses and no others`() throws {
    func holds(_ block: String, _ address: String) throws -> Bool {
      try #require(IPBlock(block)).contains(try #require(IPAddress(address)))
    }
    #expect(try holds("10.0.0.0/8", "10.255.0.1"))
    #expect(try !holds("10.0.0.0/8", "11.0.0.1"))
    #expect(try holds("192.0.2.7", "192.0.2.7"))
    #expect(try !holds("192.0.2.7", "192.0.2.6"))
    #expect(try holds("192.0.2.6/31", "192.0.2.7"))
    #expect(try holds("0.0.0.0/0", "203.0.113.9"))
    #expect(try !holds("0.0.0.0/0", "2001:db8::1"))
    #expect(try holds("2001:db8::/32", "2001:db8:ffff::1"))
    #expect(try !holds("2001:db8::/32", "2001:db9::1"))
    #expect(try holds("2001:db8::/65", "2001:db8::7fff:0:0:1"))
    #expect(try !holds("2001:db8::/65", "2001:db8::8000:0:0:1"))
    #expect(try holds("::/0", "192.0.2.7"))
    #expect(IPBlock("10.0.0.0/8")?.description == "10.0.0.0/8")
  }

  @Test(arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.1/8", "10.0.0.0/+8", "10.0.0.0/8/8", "a/8"])
  func `what is no block is refused`(_ text: String) {
    #expect(IPBlock(text) == nil)
  }
}
