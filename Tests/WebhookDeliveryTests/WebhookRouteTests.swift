import HTTPClient
import Reactor
import Testing

@testable import WebhookDelivery

/// Where the connections of a webhook go.
@Suite struct WebhookRouteTests {
  private static func address(_ text: String, _ port: UInt16 = 443) -> SocketAddress {
    SocketAddress(ip: IPAddress(text)!, port: port)
  }

  private let place = HTTPURL("https://hooks.example/x")!
  private let proxies = [address("10.0.0.1", 3128), address("10.0.0.2", 3128)]

  private func route(
    _ names: WebhookRoute.Names, _ proxy: OutboundProxy?, place: HTTPURL? = nil, rule: AddressRule = AddressRule(),
    present: WebhookRoute? = nil, isFailing: Bool = false
  ) throws(WebhookRoute.Refusal) -> WebhookRoute {
    try WebhookRoute(to: place ?? self.place, names, rule, proxy, present: present, isFailing: isFailing)
  }

  private func refusal(_ names: WebhookRoute.Names, _ proxy: OutboundProxy?, place: HTTPURL? = nil) -> String {
    do throws(WebhookRoute.Refusal) {
      return "\(try route(names, proxy, place: place))"
    } catch {
      return error.reason
    }
  }

  @Test func `the proxy is told the address that was checked, and no other`() throws {
    let proxy = try OutboundProxy("http://proxy:3128")
    let names = WebhookRoute.Names(host: [Self.address("10.9.9.9"), Self.address("93.184.216.34")], proxy: proxies)
    let found = try route(names, proxy)
    #expect(found.tunnel?.authority == "93.184.216.34:443" && proxies.contains(found.hop))
    #expect(found.address == Self.address("93.184.216.34"))
  }

  @Test func `a private address is refused behind the proxy too, though the proxy's own may be private`() throws {
    let proxy = try OutboundProxy("http://proxy:3128")
    for text in ["10.9.9.9", "127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"] {
      let reason = refusal(WebhookRoute.Names(host: [Self.address(text)], proxy: proxies), proxy)
      #expect(reason.contains("not public"), "\(text): \(reason)")
    }
    #expect(refusal(WebhookRoute.Names(host: [], proxy: proxies), proxy).contains("has no address"))
    let unknown = refusal(WebhookRoute.Names(host: [Self.address("93.184.216.34")], proxy: []), proxy)
    #expect(unknown.contains("the proxy proxy:3128"), "\(unknown)")
  }

  @Test func `what the exceptions name is called straight`() throws {
    let exceptions = try ProxyExceptions("10.1.0.0/16")
    let proxy = try OutboundProxy("http://proxy:3128", without: exceptions)
    let rule = AddressRule(allowing: [try #require(IPBlock("10.0.0.0/8"))])
    let straight = try route(WebhookRoute.Names(host: [Self.address("10.1.0.1")], proxy: []), proxy, rule: rule)
    #expect(straight.tunnel == nil && straight.hop == Self.address("10.1.0.1"))
    let through = try route(WebhookRoute.Names(host: [Self.address("10.2.0.1")], proxy: proxies), proxy, rule: rule)
    #expect(through.tunnel?.authority == "10.2.0.1:443")
    let none = try route(WebhookRoute.Names(host: [Self.address("93.184.216.34")]), nil)
    #expect(none.tunnel == nil && none.hop == Self.address("93.184.216.34"))
  }

  @Test func `a proxy that looks names up is told the name, unless it is an address in disguise`() throws {
    let proxy = try OutboundProxy("http://proxy:3128", resolvesNames: true)
    let names = WebhookRoute.Names(proxy: proxies)
    #expect(try route(names, proxy).tunnel?.authority == "hooks.example:443")
    for url in [
      "https://127.1/x", "https://2130706433/x", "https://localhost/x", "https://[::1]/x", "https://intranet/x",
      "https://a%2eexample/x", "https://proxy/x",
    ] {
      let reason = refusal(names, proxy, place: HTTPURL(url))
      #expect(reason.contains("is not public"), "\(url): \(reason)")
    }
    #expect(refusal(names, proxy, place: HTTPURL("http://a.example/")).contains("use https"))
  }

  @Test func `a way that stands goes on standing while the proxy's name cannot be looked up`() throws {
    let proxy = try OutboundProxy("http://proxy:3128")
    let host = [Self.address("93.184.216.34")]
    let first = try route(WebhookRoute.Names(host: host, proxy: proxies), proxy)
    let blind = WebhookRoute.Names(host: host, proxyFault: "no name server")
    #expect(try route(blind, proxy, present: first, isFailing: true) == first)
    let refused = try #require(throws: WebhookRoute.Refusal.self) { try route(blind, proxy) }
    #expect(refused.isAboutProxy && refused.reason == "the proxy proxy:3128: no name server")
    let straight = try route(WebhookRoute.Names(host: host), nil)
    #expect(throws: WebhookRoute.Refusal.self, "its hop is no proxy") { try route(blind, proxy, present: straight) }
    let moved = WebhookRoute.Names(host: [Self.address("10.0.0.9")], proxyFault: "no name server")
    #expect(throws: WebhookRoute.Refusal.self, "it is private now") { try route(moved, proxy, present: first) }
  }

  @Test func `what is in use goes on being used, unless it fails`() throws {
    let proxy = try OutboundProxy("http://proxy:3128")
    let names = WebhookRoute.Names(
      host: [Self.address("93.184.216.34"), Self.address("93.184.216.35")], proxy: proxies)
    let first = try route(names, proxy)
    let turned = WebhookRoute.Names(host: names.host?.reversed(), proxy: proxies.reversed())
    #expect(try route(turned, proxy, present: first) == first)
    let other = try route(turned, proxy, present: first, isFailing: true)
    #expect(other.hop != first.hop && other.address != first.address)
    let only = WebhookRoute.Names(host: first.address.map { [$0] }, proxy: [first.hop])
    #expect(try route(only, proxy, present: first, isFailing: true) == first)
  }

  @Test func `a webhook that is called straight goes to its other address, too, when one fails`() throws {
    let addresses = [Self.address("93.184.216.34"), Self.address("93.184.216.35")]
    let first = try route(WebhookRoute.Names(host: addresses), nil)
    let turned = WebhookRoute.Names(host: addresses.reversed())
    #expect(try route(turned, nil, present: first) == first)
    #expect(try route(turned, nil, present: first, isFailing: true).hop == addresses[1])
    let inner = WebhookRoute.Names(host: [addresses[0], Self.address("10.0.0.1")])
    #expect(try route(inner, nil, present: first, isFailing: true) == first, "the other one is not public")
  }
}
