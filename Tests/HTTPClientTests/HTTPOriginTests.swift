import Reactor
import Testing

@testable import HTTPClient

@Suite struct HTTPOriginTests {
  @Test(arguments: [
    ("http://a", "http a 80 /"), ("HTTP://A.example:8080", "http A.example 8080 /"), ("https://a", "https a 443 /"),
    ("https://a:8443/x/y?z=%20#f", "https a 8443 /x/y?z=%20"), ("http://a?x", "http a 80 /?x"),
    ("http://a:/x", "http a 80 /x"),
    ("http://[::1]:81/x", "http ::1 81 /x"), ("http://[2001:db8::1]", "http 2001:db8::1 80 /"),
    ("http://192.0.2.1/", "http 192.0.2.1 80 /"),
  ])
  func `an address is taken apart`(_ text: String, _ expected: String) throws {
    let url = try #require(HTTPURL(text))
    #expect("\(url.isSecure ? "https" : "http") \(url.host) \(url.port) \(url.target)" == expected)
  }

  @Test(arguments: [
    "", "a", "//a", "ftp://a", "http:/a", "http://", "http:///x", "http://:80", "http://a:0", "http://a:65536",
    "http://a:x",
    "http://a:+1", "http://user@a", "http://user:pass@a/", "http://a b", "http://a/\n", "http://a\\b", "http://[::1",
    "http://[a]", "http://[::1%1]", "http://[::ffff:10.0.0.5%251]", "http://[a:b]",
    "http://[::1]x", "http://a]", "http://이체", "http://a:1:2", "https:a",
  ])
  func `what is no address is none`(_ text: String) {
    #expect(HTTPURL(text) == nil)
  }

  @Test func `an origin names itself as Host wants it`() throws {
    #expect(try HTTPOrigin(host: "127.0.0.1", port: 80).host == "127.0.0.1")
    #expect(try HTTPOrigin(host: "127.0.0.1", port: 81).host == "127.0.0.1:81")
    #expect(try HTTPOrigin(host: "::1", port: 81).host == "[::1]:81")
    #expect(try HTTPOrigin.parse("http://127.0.0.1:82/x")?.description == "http://127.0.0.1:82")
    #expect(try HTTPOrigin.parse("https://127.0.0.1") == nil)
    #expect(try HTTPOrigin.parse("nonsense") == nil)
  }
}
