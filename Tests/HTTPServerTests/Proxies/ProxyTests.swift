import Glibc
import Reactor
import TestSupport
import Testing

@testable import HTTPServer

/// Behind nginx and haproxy: whatever clients send, we see exactly the requests that the proxy has understood.
@Suite struct ProxyTests {
  private static let last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  @Test(arguments: ReverseProxy.Kind.allCases, [true, false])
  func `no hostile request passes as another one, or as more than one`(_ kind: ReverseProxy.Kind, _ streams: Bool)
    throws
  {
    let server = try BackgroundServer()
    let proxy = try ReverseProxy(kind, before: server.address, streams: streams, seconds: 2)
    let traffic = HostileRequest.all.map { $0.bytes + Array(Self.last.utf8) }
    let answers = try ProxyTraffic.exchange(traffic, with: proxy.address)
    for (entry, answer) in zip(HostileRequest.all, answers) {
      #expect(answer != nil, "\(entry.name): the connection stays open")
    }
    var stamps: Set<String> = []
    for request in server.seen {
      // A request without the proxy's stamp was never a request to the proxy: it was smuggled in another one's body.
      let values = request.values("x-stamp")
      #expect(values.count == 1, "\(request.method) \(request.target) has \(values.count) stamps")
      let words = values.first?.split(separator: " ", maxSplits: 2).map(String.init) ?? []
      guard words.count == 3 else {
        Issue.record("\(request.method) \(request.target) has no whole stamp: \(values)")
        continue
      }
      #expect(stamps.insert(words[0]).inserted, "one request of the proxy was seen as two: \(words)")
      #expect(words[1] == request.method)
      #expect(Self.path(words[2]) == Self.path(request.target), "\(words)")
    }
    // The test is not one of an empty house: the honest requests at the end did come through.
    #expect(server.seen.filter { $0.target == "/last" }.count >= HostileRequest.unambiguous.count / 3)
    // A client that stands still for two seconds is told 408, and asks again.
    _ = try poll("it serves nobody any more") { () -> Bool? in
      let answer = try ProxyTraffic.exchange([Array(Self.last.utf8)], with: proxy.address)[0]
      return answer?.starts(with: "HTTP/1.1 200".utf8) == true ? true : nil
    }
  }

  /// The target without scheme and authority, as both must understand it.
  private static func path(_ target: String) -> String {
    var rest = target[...]
    if let scheme = target.firstRange(of: "://"), !target.hasPrefix("/") {
      rest = target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    }
    // An empty path means "/" (RFC 9112 §3.2.1).
    return (rest.isEmpty || rest.first == "?" ? "/" : "") + rest
  }

  @Test(arguments: ReverseProxy.Kind.allCases) func `connections are kept alive and used again`(
    _ kind: ReverseProxy.Kind
  ) throws {
    let server = try BackgroundServer()
    let proxy = try ReverseProxy(kind, before: server.address)
    let ahead = String(repeating: "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", count: 500)
    for _ in 0..<2 {
      let answers = try ProxyTraffic.exchange([Array((ahead + Self.last).utf8)], with: proxy.address)
      #expect(String(decoding: answers[0] ?? [], as: UTF8.self).matches(of: #/HTTP\/1.1 200/#).count == 501)
    }
    #expect(server.seen.count == 1_002)
    #expect(server.seen.last!.connections <= 4)
    #expect(server.seen.allSatisfy { $0.target == "/last" || $0.bodyBytes == 5 })
  }

  @Test(arguments: ReverseProxy.Kind.allCases) func `large bodies pass both ways, counted and in chunks`(
    _ kind: ReverseProxy.Kind
  ) throws {
    let server = try BackgroundServer()
    let proxy = try ReverseProxy(kind, before: server.address)
    // A sequence of 256 bytes, doubled until it is long enough.
    var body = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    while body.count < 20_000_000 { body += body }
    body.removeLast(body.count - 20_000_000)
    let counted =
      Array("POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    var chunked = Array("POST /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    for start in stride(from: 0, to: body.count, by: 999_999) {
      let piece = body[start..<min(start + 999_999, body.count)]
      chunked += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
    }
    chunked += Array("0\r\n\r\n".utf8)
    for answer in try ProxyTraffic.exchange([counted, chunked], with: proxy.address) {
      let answer = answer ?? []
      #expect(answer.starts(with: "HTTP/1.1 200".utf8))
      #expect(answer.count > body.count && Self.ends(answer, with: body))
    }
    #expect(server.seen.map(\.bodyBytes) == [body.count, body.count])
  }

  /// Compares in one call of the C library: byte by byte, megabytes take seconds in a debug build.
  private static func ends(_ answer: [UInt8], with body: [UInt8]) -> Bool {
    guard answer.count >= body.count else { return false }
    return answer.withUnsafeBytes { whole in
      body.withUnsafeBytes { end in
        memcmp(whole.baseAddress! + (whole.count - end.count), end.baseAddress!, end.count) == 0
      }
    }
  }

  @Test func `haproxy names its client at the start of the connection`() throws {
    let server = try BackgroundServer {
      $0.trustedProxies = [IPBlock("127.0.0.1")!]
      $0.expectsProxyHeader = true
    }
    let proxy = try ReverseProxy(.haproxy, before: server.address, usesProxyProtocol: true)
    let request = "GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n\r\n"
    let answers = try ProxyTraffic.exchange([Array(request.utf8)], with: proxy.address)
    #expect(answers[0]?.starts(with: "HTTP/1.1 200".utf8) == true)
    // A Unix client has no address: haproxy says so, and its own stands.
    #expect(server.seen.map(\.target) == ["/x"])
    #expect(server.seen[0].remoteAddress.hasPrefix("127.0.0.1:"))
    #expect(server.seen[0].clientAddress == "203.0.113.7")
  }
}
