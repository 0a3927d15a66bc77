import Foundation
import Postgres
import Reactor
import Simulator
import TestTier
import TestSupport
import Testing

@testable import Server

/// Pages and media: what a payload has no room for, fetched back as a device would.
@Suite(.slow, .serialized) struct RichContentTests {
  private let world: World
  private static let token = World.token("a1")

  init() throws {
    world = try World { $0.rules.checksPayload = true }
    try world.register("d1", token: Self.token, user: "kim")
  }

  private func ask(_ members: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},\#(members)}"#)
  }

  private func payload(_ members: String) throws -> [String: Any] {
    let reply = try ask(members)
    #expect(reply.status == 202, "\(reply.text)")
    #expect(try world.finished(try #require(reply.string("seqno"))).int("accepted") == 1)
    return try #require(try world.payloads(Self.token).last)
  }

  /// Asks the server for what stands at an address of its own.
  private func get(_ url: String, _ headers: String = "", method: String = "GET") throws -> RawHTTP {
    let path = url.dropFirst(World.publicURL.count)
    return try RawHTTP(port: world.server.address.port, "\(method) \(path) HTTP/1.1\n\(headers)")
  }

  private func upload(
    _ body: [UInt8], type: String? = nil, app: String = World.appID, bearer: String? = nil, more: String = ""
  ) throws -> RawHTTP {
    let typeLine = type.map { "\nContent-Type: \($0)" } ?? ""
    return try RawHTTP(
      port: world.server.address.port,
      "POST /v1/admin/uploads?appId=\(app)\(more) HTTP/1.1\nAuthorization: Bearer \(bearer ?? world.apiKey)\(typeLine)",
      body: body)
  }

  /// A picture of so many bytes, as far as its first ones tell.
  private func picture(_ bytes: Int) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + (8..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  }

  // MARK: Pages

  @Test func `an ext that does not fit stands on a page, and comes back as it was`() throws {
    let ext = "6|부가정보|" + String(repeating: "긴 글 + <b>&\"%41\\ ", count: 400)
    let json = String(decoding: try JSONEncoder().encode(ext), as: UTF8.self)
    let payload = try payload(#""alert":"hi","ext":\#(json)"#)
    let url = try #require((payload["mps"] as? [String: Any])?["ext"] as? String)
    #expect(url.wholeMatch(of: #/https://push\.example\.com/p/[A-Za-z0-9_-]{22}_ext\.html/#) != nil)
    let page = try get(url)
    #expect(page.status == 200)
    #expect(String(decoding: page.body, as: UTF8.self).removingPercentEncoding == ext)
    #expect(page.body.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>&\"'".utf8.contains($0) })
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["content-security-policy"]?.hasSuffix("frame-ancestors 'none'; sandbox") == true)
    #expect(page.headers["x-content-type-options"] == "nosniff")
    #expect(page.headers["set-cookie"] == nil)
    #expect(page.headers["cache-control"] == "public, max-age=604800, immutable")
  }

  @Test func `a page is fetched again only when it is another one, and in part when asked`() throws {
    let payload = try payload(#""alert":"hi","ext":"\#(String(repeating: "0123456789", count: 500))""#)
    let url = try #require((payload["mps"] as? [String: Any])?["ext"] as? String)
    let tag = try #require(try get(url).headers["etag"])
    let known = try get(url, "If-None-Match: \"other\", \(tag)")
    #expect(known.status == 304 && known.body.isEmpty)
    let part = try get(url, "Range: bytes=10-19")
    #expect(part.status == 206 && String(decoding: part.body, as: UTF8.self) == "0123456789")
    #expect(part.headers["content-range"] == "bytes 10-19/5000")
    let head = try get(url, method: "HEAD")
    #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "5000")
    #expect(try get(url, method: "POST").status == 405)
  }

  @Test func `nobody guesses a page, and a wrong end of the name finds nothing`() throws {
    let payload = try payload(#""alert":"hi","ext":"\#(String(repeating: "x", count: 5000))""#)
    let url = try #require((payload["mps"] as? [String: Any])?["ext"] as? String)
    let name = String(url.dropLast("_ext.html".count))
    for other in [name, name + "_msp.html", name + "_ext.htm", name + "_ext.html/", name.dropLast() + "_ext.html"] {
      #expect(try get(other).status == 404)
    }
    #expect(try get(url.replacing("/p/", with: "/m/")).status == 404)
    #expect(try get(url.replacing(World.publicURL + "/p/", with: World.publicURL + "/p/../p/")).status != 200)
    let second = try self.payload(#""alert":"hi","ext":"\#(String(repeating: "x", count: 5000))""#)
    #expect((second["mps"] as? [String: Any])?["ext"] as? String != url)
  }

  @Test func `a text that does not fit moves where the extension puts it back`() throws {
    let text = String(repeating: "가나다라 ", count: 1000)
    let refused = try ask(#""alert":{"title":"t","body":"\#(text)"}"#)
    #expect(refused.status == 422)
    #expect(refused.string("detail")?.contains("With mutableContent the text would move to a page") == true)
    let payload = try payload(#""alert":{"title":"t","body":"\#(text)"},"mutableContent":true"#)
    let alert = try #require((payload["aps"] as? [String: Any])?["alert"] as? [String: String])
    let url = try #require(alert["body"])
    #expect(alert["title"] == "t" && url.hasSuffix("_msp.html"))
    #expect(String(decoding: try get(url).body, as: UTF8.self).removingPercentEncoding == text)
  }

  @Test func `what differs between recipients does not move`() throws {
    let reply = try ask(#""alert":"hi","ext":"%CNAME%\#(String(repeating: "x", count: 5000))""#)
    #expect(reply.status == 422)
    #expect(reply.string("detail")?.contains("ext holds variables") == true)
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 0)
    #expect(try world.count("SELECT count(*) FROM messages") == 0)
  }

  @Test func `a message that is sent again has its page again`() throws {
    let reply = try ask(#""alert":"hi","ext":"\#(String(repeating: "x", count: 5000))""#)
    let seqno = try #require(reply.string("seqno"))
    _ = try world.finished(seqno)
    let again = try world.client.call(
      "POST", "/v1/admin/messages/\(seqno)/resend", bearer: world.apiKey, #"{"to":"not-read"}"#)
    #expect(again.status == 202, "\(again.text)")
    #expect(try world.finished(try #require(again.string("seqno"))).int("accepted") == 1)
    let url = try #require((try world.payloads(Self.token).last?["mps"] as? [String: Any])?["ext"] as? String)
    #expect(try get(url).status == 200)
  }

  // MARK: Media

  @Test func `an uploaded picture is shown by its id, and fetched in any part`() throws {
    let body = picture(700_001)
    let uploaded = try upload(body, type: "image/png")
    #expect(uploaded.status == 201)
    let url = try #require(uploaded.json?["url"] as? String)
    let id = try #require(uploaded.json?["uploadId"] as? String)
    #expect(uploaded.json?["contentType"] as? String == "image/png")
    #expect(uploaded.json?["bytes"] as? Int == body.count)
    let payload = try payload(#""alert":"hi","media":"\#(id)""#)
    #expect(payload["mediaUrl"] as? String == url)
    #expect((payload["aps"] as? [String: Any])?["mutable-content"] as? Int == 1)

    let whole = try get(url)
    #expect(whole.status == 200 && whole.body == body)
    #expect(whole.headers["content-type"] == "image/png" && whole.headers["x-content-type-options"] == "nosniff")
    #expect(whole.headers["content-length"] == "700001" && whole.headers["accept-ranges"] == "bytes")
    let tag = try #require(whole.headers["etag"])
    let parts: [(String, Range<Int>)] = [
      ("bytes=0-0", 0..<1), ("bytes=262143-262144", 262_143..<262_145), ("bytes=100-600000", 100..<600_001),
      ("bytes=700000-", 700_000..<700_001), ("bytes=-5", 699_996..<700_001), ("bytes=-9999999", 0..<700_001),
      ("bytes=699999-9999999", 699_999..<700_001),
    ]
    for (range, expected) in parts {
      let part = try get(url, "Range: \(range)")
      #expect(part.status == 206 && part.body == Array(body[expected]), "\(range)")
      #expect(
        part.headers["content-range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/700001", "\(range)")
    }
    for range in ["bytes=700001-", "bytes=-0"] {
      let none = try get(url, "Range: \(range)")
      #expect(none.status == 416 && none.headers["content-range"] == "bytes */700001")
    }
    for range in ["bytes=5-1", "bytes=a-b", "lines=1-2", "bytes=0-1,5-6", "bytes=--5"] {
      #expect(try get(url, "Range: \(range)").status == 200, "\(range)")
    }
    #expect(try get(url, "Range: bytes=0-9\nIf-Range: \(tag)").status == 206)
    #expect(try get(url, "Range: bytes=0-9\nIf-Range: \"other\"").status == 200)
    #expect(try get(url, "Range: bytes=0-9\nIf-Range: W/\(tag)").status == 200)
    #expect(try get(url, "Range: bytes=0-9\nIf-None-Match: \(tag)").status == 304)
  }

  @Test func `a file is what its bytes say`() throws {
    let lie = try upload(picture(100), type: "video/mp4")
    #expect(lie.status == 415)
    #expect((lie.json?["detail"] as? String)?.contains("says video/mp4, but the file is image/png") == true)
    #expect(try upload(Array("<html><script>".utf8), type: "image/png").status == 415)
    #expect(try upload(Array("RIFF    WEBPVP8 ".utf8), type: "image/webp").status == 415)
    #expect(try upload(picture(100)).json?["contentType"] as? String == "image/png")
    #expect(try upload([]).status == 400)
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 1)
  }

  @Test func `a picture may have 10 million bytes, and large bodies are for those who may send`() throws {
    let largest = try upload(picture(10_000_000))
    #expect(largest.status == 201, "\(String(decoding: largest.body, as: UTF8.self))")
    let refused = try upload(picture(10_000_001))
    #expect(refused.status == 413)
    #expect((refused.json?["detail"] as? String)?.contains("at most 10000000 bytes") == true)
    #expect(try upload(picture(4_194_305), bearer: "upmc_nobody").status == 401)
    #expect(try upload(picture(100), bearer: "upmc_nobody").status == 401)
    #expect(try upload(picture(100), app: "com.example.other").status == 404)
    #expect(try upload(picture(100), more: "&expiresIn=P367D").status == 400)
  }

  @Test func `media that are not there, or somebody else's, are refused`() throws {
    #expect(try ask(#""alert":"hi","media":"\#(String(repeating: "x", count: 22))""#).status == 422)
    let id = try #require(try upload(picture(100)).json?["uploadId"] as? String)
    try world.connection.script("UPDATE hosted_files SET app = app + 1000")
    #expect(try ask(#""alert":"hi","media":"\#(id)""#).status == 422)
    try world.connection.script("UPDATE hosted_files SET app = app - 1000, expires_at = now() - interval '1 second'")
    #expect(try ask(#""alert":"hi","media":"\#(id)""#).status == 422)
  }

  @Test func `a file stays for as long as a message that shows it, and then goes`() throws {
    let uploaded = try upload(picture(300_000), more: "&expiresIn=PT1H")
    let id = try #require(uploaded.json?["uploadId"] as? String)
    let url = try #require(uploaded.json?["url"] as? String)
    _ = try payload(#""alert":"hi","media":"\#(id)""#)
    #expect(try world.count("SELECT count(*) FROM hosted_files WHERE expires_at > now() + interval '90 days'") == 1)
    let year = "SELECT count(*) FROM hosted_files WHERE expires_at > now() + interval '365 days'"
    #expect(try world.count(year) == 0)
    // In an inbox it is looked at as long as it is there.
    _ = try world.send(#"{"all":true}"#, #","media":"\#(id)","inbox":"P365D""#)
    #expect(try world.count(year) == 1)
    try world.connection.script("UPDATE hosted_files SET expires_at = now()")
    // Nobody has fetched it yet, so no node remembers it.
    #expect(try get(url).status == 404)
    _ = try poll("the janitor has not deleted it") {
      try world.count("SELECT count(*) FROM hosted_parts") == 0 ? true : nil
    }
    #expect(try world.count("SELECT count(*) FROM hosted_files") == 0)
  }
}
