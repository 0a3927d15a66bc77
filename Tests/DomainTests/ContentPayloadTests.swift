import Crypto
import JSON
import Testing

@testable import Domain

/// The bytes of every key of a payload.
@Suite struct ContentPayloadTests {
  private let keys = PushKeyring(present: SymmetricKey(Array(UInt8(0)..<32)))

  private func template(_ members: String, appID: String = "a.b", audience: String = #"{"all":true}"#) throws
    -> PayloadTemplate
  {
    let json = #"{"appId":"\#(appID)","audience":\#(audience),\#(members)}"#
    return PayloadTemplate(try MessageRequest(json: Array(json.utf8)), seqno: Seqno(1), sendDate: "2026010100")
  }

  private func payload(
    _ members: String, appID: String = "a.b", locale: String = "", variables: [String] = []
  ) throws -> String {
    let template = try template(members, appID: appID)
    var bytes: [UInt8] = []
    template.append(
      for: PayloadTemplate.Recipient(
        userKey: UserKey(clientUID: "kim"), clientName: #"K"im"#, badge: 3, psid: "ab",
        language: template.languages.place(locale: locale),
        variables: variables), keys: keys, to: &bytes)
    var reader = JSONReader(bytes)
    try reader.skip()
    try reader.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What stands in `aps`, for payloads with an `mps` behind it.
  private func aps(_ members: String) throws -> String {
    let text = try payload(members)
    let end = try #require(text.firstRange(of: #"},"mps":{"#)?.lowerBound)
    return String(text[text.index(text.startIndex, offsetBy: 8)..<end])
  }

  @Test(arguments: [
    (
      #""alert":{"title":"t","subtitle":"s","body":"b","launchImage":"l"}"#,
      #""alert":{"title":"t","subtitle":"s","body":"b","launch-image":"l"},"sound":"default""#
    ),
    (
      #""alert":{"titleLocKey":"TK","titleLocArgs":["1","2"],"subtitleLocKey":"SK","subtitleLocArgs":["3"],"locKey":"LK","locArgs":["4"]}"#,
      #""alert":{"title-loc-key":"TK","title-loc-args":["1","2"],"subtitle-loc-key":"SK","subtitle-loc-args":["3"],"loc-key":"LK","loc-args":["4"]},"sound":"default""#
    ),
    (#""alert":{"locKey":"LK"}"#, #""alert":{"loc-key":"LK"},"sound":"default""#),
    (#""alert":"hi","sound":null"#, #""alert":"hi""#),
    (#""alert":"hi","sound":{"critical":true}"#, #""alert":"hi","sound":{"critical":1,"name":"default"}"#),
    (
      #""alert":"hi","sound":{"critical":true,"name":"a.caf","volume":0.50}"#,
      #""alert":"hi","sound":{"critical":1,"name":"a.caf","volume":0.50}"#
    ),
    (
      #""alert":"hi","category":"C","threadId":"T","targetContentId":"W","interruptionLevel":"time-sensitive","relevanceScore":0.25,"filterCriteria":"F""#,
      #""alert":"hi","sound":"default","category":"C","thread-id":"T","target-content-id":"W","interruption-level":"time-sensitive","relevance-score":0.25,"filter-criteria":"F""#
    ),
    (
      #""alert":"hi","mutableContent":true,"contentAvailable":true"#,
      #""alert":"hi","mutable-content":1,"content-available":1,"sound":"default""#
    ),
    (#""badge":{"clear":true},"contentAvailable":true"#, #""content-available":1,"badge":0"#),
    (#""contentAvailable":true"#, #""content-available":1"#),
    (#""pushType":"voip","alert":"Kim calls""#, #""alert":"Kim calls""#),
    (#""pushType":"pushtotalk""#, ""), (#""pushType":"location""#, ""), (#""pushType":"complication""#, ""),
  ])
  func `each key has its bytes`(members: String, expected: String) throws {
    #expect(try aps(members) == expected)
  }

  @Test(arguments: [
    (#""pushType":"widgets""#, #"{"aps":{"content-changed":true}}"#),
    (#""pushType":"controls""#, #"{"aps":{"content-changed":true}}"#),
    (
      #""pushType":"fileprovider","data":{"container-identifier":"c","domain":"d"}"#,
      #"{"container-identifier":"c","domain":"d"}"#
    ),
    (
      #""liveActivity":{"event":"update","timestamp":1,"contentState":{"a":1},"staleDate":2},"priority":5"#,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{"a":1},"stale-date":2}}"#
    ),
    (
      #""liveActivity":{"event":"end","timestamp":1,"dismissalDate":3},"relevanceScore":50"#,
      #"{"aps":{"timestamp":1,"event":"end","dismissal-date":3,"relevance-score":50}}"#
    ),
    (
      #""liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T","attributes":{"x":"y"},"inputPushToken":true},"alert":{"titleLocKey":"K","titleLocArgs":["1"],"body":"b"},"sound":"a.caf""#,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{"x":"y"},"input-push-token":1,"alert":{"title":{"loc-key":"K","loc-args":["1"]},"body":"b","sound":"a.caf"}}}"#
    ),
    (
      #""liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T","attributes":{},"inputPushChannel":"dHN0"},"alert":"hi""#,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},"input-push-channel":"dHN0","alert":{"body":"hi"}}}"#
    ),
  ])
  func `what the system itself reads has nothing of ours`(members: String, expected: String) throws {
    #expect(try payload(members) == expected)
  }

  @Test func `a push to device management is its magic`() throws {
    #expect(try payload(#""mdm":"%CUID%-magic""#, appID: "com.apple.mgmt.External.1") == #"{"mdm":"kim-magic"}"#)
  }

  @Test func `media stand beside aps and mps, and let the extension run`() throws {
    let text = try payload(#""alert":"hi","mediaUrl":"https://a.b/c.jpg","data":{"k":1}"#)
    #expect(text.contains(#""mutable-content":1"#))
    #expect(text.hasSuffix(#","mediaUrl":"https://a.b/c.jpg","k":1}"#))
  }

  // MARK: Languages

  @Test(arguments: [
    ("ko-KR", "안녕"), ("ko", "안녕"), ("KO_kr", "안녕"), ("ko-KR.UTF-8", "안녕"), ("en-GB", "Hullo"), ("en-US", "Hello"),
    ("en", "Hello"), ("zh-Hant-TW", "您好"), ("zh-Hans-CN", "hi"), ("de-DE", "hi"), ("", "hi"), ("C", "hi"), ("k", "hi"),
    ("zh-Hant-x-private", "您好"),
  ])
  func `a device gets the text of its locale, or the next best`(locale: String, expected: String) throws {
    let translations = #"{"ko":"안녕","en":{"title":"T","body":"Hello"},"en-GB":"Hullo","zh-Hant":"您好"}"#
    let text = try payload(#""alert":"hi","translations":\#(translations)"#, locale: locale)
    #expect(text.contains("\"\(expected)\""))
  }

  @Test func `each language is measured for itself`() throws {
    let measures = try template(#""alert":"%CUID%","translations":{"ko":"%CNAME%안녕","en":"x"}"#).measures
    #expect(measures.map(\.uses) == [[.clientUID: 1], [.clientName: 1], [:]])
    #expect(measures[1].bytes - measures[0].bytes == 6)
  }

  // MARK: Variables

  @Test func `what a message says for its variables is the same for everybody, and escaped`() throws {
    let text = try payload(
      #""alert":"%VAR1%, %CNAME%: %VAR9%","data":{"k":"%VAR1%"},"variables":{"VAR1":"a\"b","VAR9":"%CUID%"}"#)
    #expect(text.contains(#""alert":"a\"b, K\"im: %CUID%""#))
    #expect(text.contains(#""k":"a\"b""#))
  }

  @Test func `a recipient's own value goes first, what the message says stands in for a missing one`() {
    let splitter = PayloadSplitter(constants: [:], otherwise: [2: "none\n"])
    #expect(
      splitter.split(Array("%VAR1%-%VAR2%-%VAR3%".utf8)) == [
        .variable(0, otherwise: []), .bytes([45]), .variable(1, otherwise: Array(#"none\n"#.utf8)), .bytes([45]),
        .variable(2, otherwise: []),
      ])
  }

  // MARK: Pages

  @Test func `addresses stand in for what is on a page`() throws {
    let json = #"{"appId":"a","audience":{"all":true},"alert":{"title":"t","body":"long"},"ext":"longer"}"#
    var request = try MessageRequest(json: Array(json.utf8))
    var links = HostedLinks()
    links.ext = "https://u/p/1_ext.html"
    links.text = "https://u/p/2_msp.html"
    links.media = "https://u/m/3.jpg"
    #expect(try HostedLinks(json: try #require(links.json)) == links)
    request.content = request.content.replacing(links)
    #expect(request.content.ext == "https://u/p/1_ext.html")
    #expect(request.content.alert == .titled(title: "t", body: "https://u/p/2_msp.html"))
    #expect(request.content.media == .url("https://u/m/3.jpg"))
    #expect(HostedLinks().json == nil)
  }
}
