import HTTPClient
import Reactor
import Testing

/// What an operator writes about the proxy.
@Suite struct OutboundProxyTests {
  private func fault(_ url: String) -> String? {
    do throws(ProxyFault) {
      _ = try OutboundProxy(url)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: [
    ("http://proxy.bank.example:3128", "proxy.bank.example", 3128), ("http://10.0.0.1:8080/", "10.0.0.1", 8080),
    ("HTTP://Proxy:80", "Proxy", 80), ("http://[2001:db8::1]:3128", "2001:db8::1", 3128),
    ("http://user:pass@proxy:3128", "proxy", 3128), ("http://user@proxy:3128", "proxy", 3128),
    ("http://us%40er:p%3A%2F%25w%EA%B0%80@proxy:3128", "proxy", 3128),
  ])
  func `an address with host and port is taken`(url: String, host: String, port: UInt16) throws {
    let proxy = try OutboundProxy(url)
    #expect(proxy.host == host && proxy.port == port)
  }

  @Test(arguments: [
    ("", "http://host:port"), ("proxy:3128", "is no address. Write http://host:port"),
    ("https://proxy:3128", "plain HTTP"),
    ("socks5://proxy:1080", "plain HTTP"), ("http://proxy", "no host and port"), ("http://proxy:", "no host and port"),
    ("http://:3128", "no host and port"), ("http://proxy:0", "no host and port"),
    ("http://proxy:99999", "no host and port"), ("http://proxy:3128/path", "a path"),
    ("http://proxy:3128?x", "a path"), ("http://user:se/cret@proxy:3128", "%2F"),
    ("http://pro xy:3128", "no host and port"),
    ("http://user:se@cret@proxy:3128", "%40"), ("http://user:sec%ret@proxy:3128", "percent"),
    ("http://user:%FF@proxy:3128", "percent"), ("http://user:a%0Ab@proxy:3128", "percent"),
    ("http://:secret@proxy:3128", "a user that is empty"), ("http://us%3Aer:secret@proxy:3128", "a colon"),
    ("http://2001:db8::1:3128", "no host and port"),
  ])
  func `what is none is refused in words, without its text`(url: String, words: String) throws {
    let reason = try #require(fault(url), "\(url) was taken")
    #expect(reason.contains(words), "\(reason)")
    #expect(!reason.contains("secret") && !reason.contains("sec%ret"), "\(reason)")
  }

  @Test func `it is shown without its password, however it is shown`() throws {
    let proxy = try OutboundProxy("http://user:sesame@proxy:3128")
    struct Holder { let proxy: OutboundProxy }
    for text in ["\(proxy)", String(reflecting: proxy), "\(Holder(proxy: proxy))", String(reflecting: [proxy])] {
      #expect(text.contains("proxy:3128") && !text.contains("sesame") && !text.contains("c2VzYW1l"), "\(text)")
    }
  }

  @Test func `names, domains, addresses and networks go without it`() throws {
    let exceptions = try ProxyExceptions("push.bank.example, .corp.example,*.lab.example,10.0.0.0/8,192.0.2.7,fd00::/8")
    let proxy = try OutboundProxy("http://proxy:3128", without: exceptions)
    for host in [
      "push.bank.example", "PUSH.bank.example.", "a.push.bank.example", "a.corp.example", "a.b.corp.example",
      "x.lab.example", "10.1.2.3", "192.0.2.7", "fd00::1",
    ] { #expect(proxy.tunnel(to: host, port: 443) == nil, "\(host)") }
    for host in [
      "bank.example", "xpush.bank.example", "corp.example", "lab.example", "notcorp.example", "11.0.0.1", "192.0.2.8",
      "fe80::1", "api.push.apple.com",
    ] { #expect(proxy.tunnel(to: host, port: 443) != nil, "\(host)") }
    let private10 = SocketAddress(ip: try #require(IPAddress("10.1.1.1")), port: 443)
    let public8 = SocketAddress(ip: try #require(IPAddress("8.8.8.8")), port: 443)
    #expect(proxy.tunnel(to: private10, of: "hooks.example") == nil)
    #expect(proxy.tunnel(to: public8, of: "hooks.example")?.authority == "8.8.8.8:443")
    #expect(proxy.tunnel(to: public8, of: "push.bank.example") == nil)
    let six = SocketAddress(ip: try #require(IPAddress("2001:db9::1")), port: 8443)
    #expect(proxy.tunnel(to: six, of: "hooks.example")?.authority == "[2001:db9::1]:8443")
    #expect(proxy.tunnel(to: "2001:db9::1", port: 443)?.authority == "[2001:db9::1]:443")
  }

  @Test(arguments: ["*", "bank.example:443", "http://bank.example", "10.0.0.0/33", "10.0.0.1/8", "a..b/x", ".", "é"])
  func `an exception that is none is refused`(text: String) {
    #expect(throws: ProxyFault.self) { try ProxyExceptions(text) }
  }

  @Test func `no entries, and blanks between commas, are no exceptions`() throws {
    #expect(try ProxyExceptions("") == ProxyExceptions() && (try ProxyExceptions(" , ,")) == ProxyExceptions())
  }

  @Test func `a name that somebody else looks up must not be an address in disguise`() throws {
    let rule = AddressRule(allowing: [try #require(IPBlock("10.1.0.0/16"))])
    let proxy = try OutboundProxy("http://Proxy.bank.example:3128")
    func allows(_ name: String, isSecure: Bool = true) -> Bool {
      rule.allows(name: name, isSecure: isSecure, through: proxy)
    }
    for name in ["hooks.example", "a1.example", "hooks.example.", "A_b-c.example"] { #expect(allows(name), "\(name)") }
    for name in [
      "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "localhost", "a.localhost", "LOCALHOST.", "::1",
      "10.2.0.1", "", ".", "::ffff:10.0.0.5%1", "::1%1", "127.0.0.1%31", "a%2eexample.com", "a..example", "ä.example",
      "intranet", "intranet.", "ip6-localhost", "localhost.localdomain", "printer.local", "db.INTERNAL",
      "nas.home.arpa",
      "proxy.bank.example", "PROXY.bank.example.",
    ] { #expect(!allows(name), "\(name)") }
    #expect(allows("10.1.0.1", isSecure: false) && !allows("hooks.example", isSecure: false))
    let numeric = try OutboundProxy("http://10.1.0.1:3128")
    #expect(!rule.allows(name: "::ffff:10.1.0.1", isSecure: true, through: numeric), "the proxy's own address")
  }
}
