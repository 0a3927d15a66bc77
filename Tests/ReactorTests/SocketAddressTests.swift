import Glibc
import Reactor
import Testing

@Suite struct SocketAddressTests {
  private func resolve(_ host: String, _ port: UInt16 = 8080) throws -> SocketAddress {
    try #require(try SocketAddress.resolve(host: host, port: port).first)
  }

  @Test func `IPv4 shows as host and port`() throws {
    let address = try resolve("192.0.2.7")
    #expect(address.description == "192.0.2.7:8080")
    #expect(address.host == "192.0.2.7")
    #expect(address.port == 8080)
  }

  @Test func `IPv6 shows in brackets, its host without`() throws {
    let address = try resolve("2001:db8::1", 443)
    #expect(address.description == "[2001:db8::1]:443")
    #expect(address.host == "2001:db8::1")
    #expect(address.port == 443)
  }

  @Test(arguments: [UInt16(0), 1, 255, 256, 65_535])
  func `every port survives`(port: UInt16) throws {
    #expect(try resolve("127.0.0.1", port).port == port)
    #expect(try resolve("::1", port).port == port)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.255.254", true), ("128.0.0.1", false), ("10.0.0.1", false), ("0.0.0.0", false),
    ("::1", true), ("::2", false), ("::", false), ("1::1", false), ("::ffff:127.0.0.1", true),
    ("::ffff:10.0.0.1", false), ("fe80::1", false),
  ])
  func `loopback is told from the rest`(host: String, isLoopback: Bool) throws {
    #expect(try resolve(host).isLoopback == isLoopback)
  }

  @Test func `a Unix path is an address without port, always local`() throws {
    let address = try SocketAddress.unix(path: "/tmp/upmc.sock")
    #expect(address.description == "unix:/tmp/upmc.sock")
    #expect(address.host == address.description)
    #expect(address.port == 0)
    #expect(address.isLoopback)
  }

  @Test func `a Unix path of 107 bytes fits, one of 108 is refused`() throws {
    let longest = "/" + String(repeating: "a", count: 106)
    #expect(try SocketAddress.unix(path: longest).description == "unix:" + longest)
    #expect {
      _ = try SocketAddress.unix(path: longest + "a")
    } throws: {
      ($0 as? SystemError)?.code == ENAMETOOLONG
    }
  }

  @Test func `equal addresses are equal`() throws {
    #expect(try resolve("127.0.0.1") == resolve("127.0.0.1"))
    #expect(try resolve("127.0.0.1", 1) != resolve("127.0.0.1", 2))
    #expect(Set([try resolve("::1"), try resolve("::1")]).count == 1)
  }

  @Test func `listening on no host means every address`() throws {
    let addresses = try SocketAddress.resolve(host: "", port: 80, passive: true)
    #expect(addresses.contains { $0.host == "0.0.0.0" })
  }

  @Test func `an unknown name is an error that says which`() {
    #expect {
      _ = try SocketAddress.resolve(host: "no such host.invalid", port: 80)
    } throws: { error in
      (error as? SystemError)?.description.contains("no such host.invalid") == true
    }
  }
}
