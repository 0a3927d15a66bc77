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

  @Test(arguments: [
    ("http://sms.example.com/", "must begin with https"), ("https://localhost/", "leads to a private network"),
    ("https://10.1.2.3/", "leads to a private network"), ("https://[::1]:8443/", "leads to a private network"),
    ("https://127.1/", "neither a name"), ("https://2130706433/", "neither a name"),
    ("https://0x7f000001/", "neither a name"), ("https://sms.bank.internal/", "leads to a private network"),
    ("https://sms.localhost./", "leads to a private network"), ("https://sms.home.arpa/", "leads to a private network"),
  ])
  func `a URL that could never be called is known by its text`(_ text: String, _ reason: String) throws {
    let objection = AddressRule().objection(to: try #require(HTTPURL(text)))
    #expect(objection.map { "\($0)" }?.contains(reason) == true, "\(text)")
  }

  @Test func `a name that may lead to an allowed address is not refused by its text`() throws {
    let own = AddressRule(allowing: [try #require(IPBlock("10.1.0.0/16"))])
    for text in ["http://sms.bank.internal/", "http://sms/", "https://sms.example.com:8443/x", "http://10.1.2.3:80/"] {
      #expect(own.objection(to: try #require(HTTPURL(text))) == nil, "\(text)")
    }
    #expect(own.objection(to: try #require(HTTPURL("http://localhost/"))) != nil)
    let here = AddressRule(allowing: [try #require(IPBlock("127.0.0.0/8"))])
    #expect(here.objection(to: try #require(HTTPURL("http://localhost:8080/"))) == nil)
    #expect(AddressRule().objection(to: try #require(HTTPURL("https://sms.example.com/"))) == nil)
  }

  @Test func `a network of one's own is allowed when the configuration says so`() throws {
    let rule = AddressRule(allowing: [try #require(IPBlock("10.1.0.0/16"))])
    #expect(rule.allows(try #require(IPAddress("10.1.2.3")), isSecure: false))
    #expect(rule.allows(try #require(IPAddress("::ffff:10.1.2.3")), isSecure: true))
    #expect(!rule.allows(try #require(IPAddress("10.2.2.3")), isSecure: true))
  }
}
