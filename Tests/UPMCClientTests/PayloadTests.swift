import Foundation
import Testing

@testable import UPMCClient

/// Payloads as the documents print them, and malformed ones.
@Suite struct PayloadTests {
  /// The example in the existing SDK's guide, with its missing comma.
  private static let documented = """
    {"aps":{"alert":{"title":"제목","body":"내용"},"mutable-content":1,"badge":1,"sound":"alert.aif"},
     "mps":{"appid":"com.uracle.push.test","seqno":"104","sender":"UMSUI","senddate":"2020081214","db_in":"Y","sms":"Y",
     "ext":"6|부가정보|https://www.morpheus.kr","pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810"},"accountId":"7"}
    """

  @Test func `every key of the documents is read`() throws {
    let push = try ReceivedPayload(json: Array(Self.documented.utf8))
    #expect(push.appID == "com.uracle.push.test" && push.seqno == "104" && push.sender == "UMSUI")
    #expect(push.sendDate == "2020081214" && push.dbIn && push.sms && push.badge == 1)
    #expect(push.pushkey == "2a4dc34b21e6f075f9de2d1403bea7ff8144f810")
    #expect(push.title == "제목" && push.body == "내용" && push.startsExtension && !push.isSilent && !push.hasFeedback)
    #expect(push.ext.map(RichContent.init) == .link(title: "부가정보", url: "https://www.morpheus.kr"))
    #expect(push.custom == ["accountId": .text("7")])
  }

  @Test func `a notification's dictionary, FCM's text, and a number as SEQNO are read alike`() throws {
    let whole = try ReceivedPayload(json: Array(Self.documented.utf8))
    let escaped = Self.documented.replacing("\n", with: " ").replacing("\"", with: "\\\"")
    #expect(try ReceivedPayload(json: Array(#"{"message":"\#(escaped)"}"#.utf8)) == whole)
    #expect(try ReceivedPayload(json: Array(#"{"data":{"message":"\#(escaped)"}}"#.utf8)) == whole)
    #expect(try ReceivedPayload(userInfo: ["message": Self.documented]) == whole)
    let info: [AnyHashable: Any] = [
      "aps": ["alert": "hello", "badge": 3, "mutable-content": 1] as [String: Any],
      "mps": ["seqno": 104, "pushkey": "ab"] as [String: Any],
    ]
    let push = try ReceivedPayload(userInfo: info)
    #expect(push.seqno == "104" && push.body == "hello" && push.badge == 3 && push.startsExtension)
  }

  @Test(arguments: [
    "", "[]", "null", "{}", #"{"aps":{"alert":"x"}}"#, #"{"mps":{}}"#, #"{"mps":{"seqno":"1"}}"#,
    #"{"mps":{"pushkey":"a"}}"#,
    #"{"mps":{"seqno":"../1","pushkey":"a"}}"#, #"{"mps":{"seqno":"1","pushkey":"a b"}}"#,
    #"{"mps":{"seqno":"1","pushkey":""}}"#, #"{"mps":{"seqno":-1,"pushkey":"a"}}"#,
    #"{"mps":{"seqno":1.5,"pushkey":"a"}}"#,
    #"{"mps":{"seqno":1e300,"pushkey":"a"}}"#, #"{"mps":{"seqno":"0","pushkey":"a"}}"#, #"{"mps":[1]}"#,
    #"{"mps":"x"}"#,
    #"{"message":"{}"}"#, #"{"message":"{\"mps\""}"#, #"{"data":{"message":7}}"#,
  ])
  func `what has no SEQNO and pushkey of UPMC is none of ours`(json: String) {
    #expect(throws: ClientError.notOfUPMC) { try ReceivedPayload(json: Array(json.utf8)) }
  }

  @Test func `payloads nested without end are refused`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: ClientError.notOfUPMC) { try ReceivedPayload(json: Array(deep.utf8)) }
    var nested: Any = "x"
    for _ in 0..<1_000 { nested = [nested] }
    #expect(throws: ClientError.notOfUPMC) { try ReceivedPayload(userInfo: ["mps": nested]) }
    // Not so deep that the JSON parser refuses it, but deeper than any stack should have to follow.
    for levels in [100, 400] {
      #expect(throws: ClientError.notOfUPMC) { try ReceivedPayload(json: Self.json(nested: levels)) }
    }
  }

  /// A payload with a custom key of so many arrays in each other.
  private static func json(nested levels: Int) -> [UInt8] {
    let (open, close) = (String(repeating: "[", count: levels), String(repeating: "]", count: levels))
    return Array(#"{"aps":{"alert":"x"},"mps":{"seqno":"1","pushkey":"a"},"deep":\#(open)7\#(close)}"#.utf8)
  }

  @Test func `a payload as deep as the server accepts is read, from a push and from the inbox`() throws {
    let json = Self.json(nested: 31)
    #expect(try ReceivedPayload(json: json).seqno == "1")
    let page = try Self.inbox([String(decoding: json, as: UTF8.self)])
    #expect(page.items.map { $0.received?.seqno } == ["1"])
  }

  /// A page of the inbox with these payloads.
  private static func inbox(_ payloads: [String]) throws -> InboxListing {
    let items = payloads.map { #"{"seqno":"1","sentAt":"a","endsAt":"b","payload":\#($0)}"# }
    let page = #"{"items":[\#(items.joined(separator: ","))],"unread":1}"#
    return try JSONDecoder().decode(InboxListing.self, from: Data(page.utf8))
  }

  @Test func `a payload that cannot be read does not hide the others of the inbox`() throws {
    // The server takes any number of JSON as a custom key, also one that no Double holds.
    let mps = #""mps":{"seqno":"1","pushkey":"a"}"#
    let page = try Self.inbox([
      "{\(mps)}", "{\(mps),\"huge\":1e999}", String(decoding: Self.json(nested: 100), as: UTF8.self), "null",
    ])
    #expect(page.items.map { $0.payload != nil } == [true, false, false, false])
    #expect(page.items.map { $0.received?.seqno } == ["1", nil, nil, nil])
  }

  @Test(arguments: [
    ("0|Hello", RichContent.text(title: "Hello")), ("0|a|b", .text(title: "a|b")),
    ("1|T|https://i|https://p", .page(title: "T", image: "https://i", page: "https://p")),
    ("2|T|https://i|https://v?a|b", .video(title: "T", image: "https://i", video: "https://v?a|b")),
    ("3|T|https://i", .image(title: "T", image: "https://i")),
    ("4|T|https://u", .protectedPage(title: "T", url: "https://u")),
    ("6|부가정보|https://www.morpheus.kr", .link(title: "부가정보", url: "https://www.morpheus.kr")),
    ("https://push.example.com/p/x_ext.html", .hosted(url: "https://push.example.com/p/x_ext.html")),
    ("https://push.example.com/p/x_msp.html", .hosted(url: "https://push.example.com/p/x_msp.html")),
    ("file:///x_ext.html", .free("file:///x_ext.html")), ("5|x|y", .free("5|x|y")), ("1|T|only", .free("1|T|only")),
    ("6|T", .free("6|T")), ("", .free("")), ("|", .free("|")), (#"{"a":1}"#, .free(#"{"a":1}"#)),
    ("66|a|b", .free("66|a|b")),
  ])
  func `ext is read by its pipes`(ext: String, content: RichContent) {
    #expect(RichContent(ext) == content)
  }

  @Test func `an image is fetched by https alone`() {
    #expect(RichContent("3|T|https://i/a.jpg").imageURL == "https://i/a.jpg")
    #expect(RichContent("3|T|http://i/a.jpg").imageURL == nil)
    #expect(RichContent("3|T|file:///etc/passwd").imageURL == nil)
  }

  @Test(arguments: [
    ("%EC%95%88", "안"), ("a%2Bb", "a+b"), ("a+b", "a+b"), ("plain 안", "plain 안"), ("", ""), ("100%25", "100%"),
  ])
  func `a page is percent-encoded UTF-8`(page: String, text: String) throws {
    #expect(try HostedText.decode(Array(page.utf8)) == text)
  }

  @Test(arguments: ["%", "%2", "a%zz", "%F", "%FF", "%EC%95"])
  func `a page that is cut or no UTF-8 is refused`(page: String) {
    #expect(throws: ClientError.self) { try HostedText.decode(Array(page.utf8)) }
  }
}

/// Pages and media from addresses in payloads.
@Suite struct HostileContentTests {
  private func client(_ transport: FakeTransport) throws -> PushClient {
    PushClient(
      ClientSettings(
        server: try ServerAddress("https://push.example.com/upmc"), appID: "app", clientKey: "client",
        directory: "/nowhere"),
      transport: transport, keys: MemoryKeyStore())
  }

  @Test func `a page is fetched without a key, and decoded`() async throws {
    let transport = FakeTransport { _ in FakeTransport.json(200, "6%7CT%7Chttps%3A%2F%2Fa") }
    let value = try await client(transport).resolve("https://cdn.example.com:8443/p/x_ext.html")
    #expect(RichContent(value) == .link(title: "T", url: "https://a"))
    #expect(transport.requests.map(\.url) == ["https://cdn.example.com:8443/p/x_ext.html"])
    #expect(transport.requests[0].bearer == nil && transport.requests[0].mostBytes == 3 * 262_144)
    #expect(try await client(transport).resolve("a text") == "a text")
  }

  @Test(arguments: [
    "http://evil.example.com/x_ext.html", "https://user:pw@evil.example.com/x_ext.html", "https:///x_ext.html",
    "https://evil.example.com\\@push.example.com/x_ext.html",
  ])
  func `an address without https, with a user, or without a host is not asked`(url: String) async throws {
    let transport = FakeTransport { _ in FakeTransport.json(200, "x") }
    await #expect(throws: ClientError.self) { try await client(transport).resolve(url) }
    await #expect(throws: ClientError.self) { try await client(transport).media(url) }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [
    ("/%EA%B7%B8%EB%A6%BC.jpg?w=%31", "/%EA%B7%B8%EB%A6%BC.jpg?w=%31"),
    ("/그림 1.jpg?크=큰", "/%EA%B7%B8%EB%A6%BC%201.jpg?%ED%81%AC=%ED%81%B0"),
    ("/a\r\nb.jpg", "/a%0D%0Ab.jpg"), ("/a.jpg#top", "/a.jpg"),
  ])
  func `the path that a transport gets is percent-encoded`(said: String, path: String) async throws {
    let transport = FakeTransport { _ in FakeTransport.json(200, "x") }
    _ = try await client(transport).media("https://cdn.example.com" + said)
    #expect(transport.requests.map(\.url) == ["https://cdn.example.com" + path])
  }

  @Test func `an error, a redirect and too long a page are refused`() async throws {
    for answer in [
      FakeTransport.json(404, "gone"), FakeTransport.json(302, ""),
      .success(WireAnswer(status: 200, body: [UInt8](repeating: 0x61, count: 3 * 262_144 + 1))),
    ] {
      await #expect(throws: ClientError.self) {
        try await client(FakeTransport { _ in answer }).resolve("https://a.example.com/x_ext.html")
      }
    }
  }

  @Test(arguments: [
    "http://push.example.com", "ftp://push.example.com", "push.example.com", "https://", "https://a b", "",
    "https://user@push.example.com", "https://push.example.com/?a=b", "https://push.example.com/#x",
  ])
  func `only https is a server's address, or this machine's`(text: String) {
    #expect(throws: ServerAddress.Invalid.self) { try ServerAddress(text) }
  }

  @Test func `this machine, and a test network on request, are reached by http`() throws {
    #expect(try ServerAddress("http://127.0.0.1:8080/").base == "http://127.0.0.1:8080")
    #expect(try ServerAddress("https://push.example.com/upmc//").base == "https://push.example.com/upmc")
    #expect(try ServerAddress("http://10.0.0.1", allowsPlainHTTP: true).base == "http://10.0.0.1")
  }
}
