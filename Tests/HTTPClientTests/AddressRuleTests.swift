import HTTPClient
import Reactor
import Testing

@Suite struct AddressRuleTests {
  @Test(arguments: [
    "127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "::", "::1", "fe80::1",
    "fc00::1", "fdff::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "64:ff9b::7f00:1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::127.0.0.1", "fec0::1",
  ])
  func `what is not the public Internet is refused`(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressRule().allows(address, isSecure: true))
  }

  @Test(arguments: ["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111", "1.1.1.1"])
  func `the public Internet is allowed, with TLS only`(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressRule().allows(address, isSecure: true))
    #expect(!AddressRule().allows(address, isSecure: false))
  }

  @Test func `a network of one's own is allowed when the configuration says so`() throws {
    let rule = AddressRule(allowing: [try #require(IPBlock("10.1.0.0/16"))])
    #expect(rule.allows(try #require(IPAddress("10.1.2.3")), isSecure: false))
    #expect(rule.allows(try #require(IPAddress("::ffff:10.1.2.3")), isSecure: true))
    #expect(!rule.allows(try #require(IPAddress("10.2.2.3")), isSecure: true))
  }
}
