import Reactor
import Testing

@testable import HTTPServer

@Suite struct ForwardingTests {
  private let trusted = [IPBlock("10.0.0.0/8")!, IPBlock("2001:db8::/32")!]

  private func client(_ peer: String, _ header: Forwarding.Header = .xForwardedFor, _ lines: String...) -> String {
    let found = Forwarding.client(of: IPAddress(peer)!, header, lines: lines) { address in
      trusted.contains { $0.contains(address) }
    }
    return found.description
  }

  @Test func `a stranger is who it is, whatever it says`() {
    #expect(client("192.0.2.1", .xForwardedFor, "10.0.0.9, 127.0.0.1") == "192.0.2.1")
  }

  @Test func `a trusted proxy names its client`() {
    #expect(client("10.0.0.1", .xForwardedFor, "192.0.2.1") == "192.0.2.1")
    #expect(client("10.0.0.1", .xForwardedFor, "2001:db9::7") == "2001:db9::7")
    #expect(client("10.0.0.1", .xForwardedFor, "192.0.2.1:5000") == "192.0.2.1")
    #expect(client("10.0.0.1", .xForwardedFor, "[2001:db9::7]:5000") == "2001:db9::7")
    #expect(client("10.0.0.1") == "10.0.0.1")
  }

  @Test func `what the client has invented stands before, and is not believed`() {
    #expect(client("10.0.0.1", .xForwardedFor, "127.0.0.1, 192.0.2.1") == "192.0.2.1")
    #expect(client("10.0.0.1", .xForwardedFor, "127.0.0.1", "192.0.2.1, 10.0.0.2") == "192.0.2.1")
    #expect(client("10.0.0.1", .xForwardedFor, "10.0.0.3,192.0.2.1 ,\t10.0.0.2") == "192.0.2.1")
  }

  @Test func `what cannot be read ends the search at the last proxy known`() {
    #expect(client("10.0.0.1", .xForwardedFor, "192.0.2.1, unknown") == "10.0.0.1")
    #expect(client("10.0.0.1", .xForwardedFor, "192.0.2.1, unknown, 10.0.0.2") == "10.0.0.2")
    #expect(client("10.0.0.1", .forwarded, "proto=https") == "10.0.0.1")
  }

  @Test func `proxies all the way give the first of them`() {
    #expect(client("10.0.0.1", .xForwardedFor, "10.0.0.3, 10.0.0.2") == "10.0.0.3")
  }

  @Test func `Forwarded is read as RFC 7239 writes it`() {
    #expect(client("10.0.0.1", .forwarded, "for=192.0.2.1;proto=http;by=10.0.0.1") == "192.0.2.1")
    #expect(client("10.0.0.1", .forwarded, "by=10.0.0.1; For=\"[2001:db9::7]:4711\"") == "2001:db9::7")
    #expect(client("10.0.0.1", .forwarded, "for=127.0.0.1, for=\"192.0.2.1:80\"") == "192.0.2.1")
    #expect(client("10.0.0.1", .forwarded, "for=\"127.0.0.1, for=10.0.0.9\", for=192.0.2.1") == "192.0.2.1")
    #expect(client("10.0.0.1", .forwarded, "for=_hidden") == "10.0.0.1")
  }
}
