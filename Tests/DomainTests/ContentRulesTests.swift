import Testing

@testable import Domain

@Suite struct ContentRulesTests {
  private func parse(_ members: String, appID: String = "com.example.bank") throws(Problem) -> MessageRequest {
    try MessageRequest(json: Array(#"{"appId":"\#(appID)","audience":{"all":true},\#(members)}"#.utf8))
  }

  private func pointers(_ members: String, appID: String = "com.example.bank") -> [String] {
    do throws(Problem) {
      _ = try parse(members, appID: appID)
      return []
    } catch {
      #expect(error.code == .invalidField || error.code == .impossible)
      return error.fields.map(\.pointer)
    }
  }

  // MARK: Which push type

  @Test(arguments: [
    (#""alert":"hi""#, PushType.alert), (#""badge":{"clear":true}"#, .alert),
    (#""contentAvailable":true"#, .background),
    (#""contentAvailable":true,"alert":"hi""#, .alert), (#""contentAvailable":true,"badge":{"set":1}"#, .alert),
    (#""pushType":"background""#, .background), (#""pushType":"voip""#, .voip), (#""pushType":"widgets""#, .widgets),
    (#""liveActivity":{"event":"end","timestamp":1}"#, .liveactivity),
  ])
  func `the push type is the one asked for, or found from the rest`(members: String, type: PushType) throws {
    #expect(try parse(members).content.pushType == type)
  }

  @Test func `a background push always says content-available, at priority 5`() throws {
    let request = try parse(#""pushType":"background""#)
    #expect(request.content.contentAvailable)
    #expect(PushHeaders(request, appID: "a.b", seqno: Seqno(7)).priority == .considerate)
    #expect(try parse(#""pushType":"background","priority":5"#).content.priority == .considerate)
  }

  @Test(arguments: [
    (PushType.alert, "a.b", PushPriority.immediate, true), (.background, "a.b", .considerate, true),
    (.voip, "a.b.voip", .immediate, false), (.complication, "a.b.complication", .immediate, true),
    (.fileprovider, "a.b.pushkit.fileprovider", .immediate, true), (.mdm, "a.b", .immediate, true),
    (.location, "a.b.location-query", .immediate, true), (.pushtotalk, "a.b.voip-ptt", .immediate, false),
    (.liveactivity, "a.b.push-type.liveactivity", .immediate, true),
    (.controls, "a.b.push-type.controls", .immediate, true), (.widgets, "a.b.push-type.widgets", .immediate, true),
  ])
  func `each push type has its topic and its defaults`(
    type: PushType, topic: String, priority: PushPriority, isKept: Bool
  ) {
    let headers = PushHeaders(appID: "a.b", type, collapseID: "1")
    #expect(headers.topic == topic)
    #expect(headers.priority == priority)
    #expect(headers.isKeptForDevice == isKept)
  }

  @Test func `headers are taken from the request`() throws {
    let request = try parse(#""alert":"hi","priority":1,"collapseId":"score","keepForDevice":false"#)
    let headers = PushHeaders(request, appID: "a.b", seqno: Seqno(7))
    #expect(headers == PushHeaders(appID: "a.b", .alert, priority: .low, collapseID: "score", isKeptForDevice: false))
    #expect(PushHeaders(try parse(#""alert":"hi""#), appID: "a.b", seqno: Seqno(7)).collapseID == "7")
  }

  // MARK: What each may have

  /// Every field that shapes a payload, with a value that is good by itself.
  private static let fields: [(name: String, json: String)] = [
    ("alert", #""alert":"hi""#), ("sound", #""sound":"a.caf""#), ("badge", #""badge":{"increment":1}"#),
    ("category", #""category":"C""#), ("threadId", #""threadId":"t""#), ("targetContentId", #""targetContentId":"w""#),
    ("mutableContent", #""mutableContent":true"#), ("contentAvailable", #""contentAvailable":true"#),
    ("interruptionLevel", #""interruptionLevel":"passive""#), ("relevanceScore", #""relevanceScore":0.5"#),
    ("filterCriteria", #""filterCriteria":"f""#), ("mediaUrl", #""mediaUrl":"https://a.b/c.jpg""#),
    ("ext", #""ext":"0|t""#), ("data", #""data":{"container-identifier":"x"}"#), ("mdm", #""mdm":"magic""#),
    ("liveActivity", #""liveActivity":{"event":"update","timestamp":1,"contentState":{}}"#),
  ]

  private static let allowed: [PushType: Set<String>] = [
    .alert: [
      "alert", "sound", "badge", "category", "threadId", "targetContentId", "mutableContent", "contentAvailable",
      "interruptionLevel", "relevanceScore", "filterCriteria", "mediaUrl", "ext", "data",
    ],
    .background: ["contentAvailable", "ext", "data"], .voip: ["alert", "ext", "data"],
    .complication: ["ext", "data"], .location: ["ext", "data"], .pushtotalk: ["ext", "data"],
    .fileprovider: ["data"], .mdm: ["mdm"], .liveactivity: ["liveActivity", "alert", "sound", "relevanceScore"],
    .controls: [], .widgets: [],
  ]

  /// What a push of this type needs beside the field that is looked at.
  private static func basis(_ type: PushType, without field: String) -> String {
    let needed: [PushType: [String]] = [
      .alert: ["alert"], .mdm: ["mdm"], .fileprovider: ["data"], .liveactivity: ["liveActivity", "alert"],
    ]
    return (needed[type] ?? []).filter { $0 != field }.compactMap { name in
      fields.first { $0.name == name }.map { "," + $0.json }
    }.joined()
  }

  @Test(arguments: PushType.allCases)
  func `every field is allowed or refused by its pointer, by push type`(type: PushType) {
    let appID = type == .mdm ? "com.apple.mgmt.External.1" : "com.example.bank"
    for field in Self.fields {
      let members = #""pushType":"\#(type.rawValue)","# + field.json + Self.basis(type, without: field.name)
      let isAllowed = Self.allowed[type]?.contains(field.name) == true
      #expect(pointers(members, appID: appID) == (isAllowed ? [] : ["/\(field.name)"]), "\(type) \(field.name)")
    }
  }

  @Test func `all fields at fault are named together`() {
    #expect(
      pointers(#""pushType":"background","alert":"hi","badge":{"set":1},"sound":"a""#)
        == ["/alert", "/badge", "/sound"])
  }

  @Test(arguments: [
    (PushType.alert, [10, 5, 1]), (.background, [5]), (.voip, [10]), (.pushtotalk, [10]), (.location, [10, 5]),
    (.liveactivity, [10, 5]), (.complication, [10, 5, 1]), (.widgets, [10, 5, 1]), (.controls, [10, 5, 1]),
  ])
  func `each push type has its priorities`(type: PushType, allowed: [Int]) {
    for priority in [10, 5, 1] {
      let members =
        #""pushType":"\#(type.rawValue)","priority":\#(priority)"# + Self.basis(type, without: "")
      #expect(pointers(members) == (allowed.contains(priority) ? [] : ["/priority"]), "\(type) \(priority)")
    }
  }

  // MARK: What belongs together

  @Test(arguments: [
    (#""pushType":"alert""#, ["/alert"]), (#""pushType":"alert","contentAvailable":true"#, ["/alert"]),
    (#""sound":"a.caf""#, ["/alert", "/sound"]), (#""badge":{"set":1},"sound":"a.caf""#, ["/sound"]),
    (#""badge":{"set":1},"category":"C","threadId":"t""#, ["/category", "/threadId"]),
    (#""badge":{"set":1},"mediaUrl":"https://a.b/c.jpg""#, ["/mediaUrl"]),
    (#""badge":{"set":1},"mutableContent":true"#, ["/mutableContent"]),
    (#""alert":"hi","mediaUrl":"https://a.b/c.jpg","mutableContent":false"#, ["/mutableContent"]),
    (#""alert":"hi","mediaUrl":"http://a.b/c.jpg""#, ["/mediaUrl"]),
    (#""alert":"hi","mediaUrl":"https://a.b/c d.jpg""#, ["/mediaUrl"]),
    (#""alert":"hi","mediaUrl":"https://a.b/c.jpg","media":"x""#, ["/media"]),
    (#""alert":"hi","mediaUrl":"https://a.b/c.jpg","data":{"mediaUrl":1}"#, ["/data/mediaUrl"]),
    (#""translations":{"ko":"hi"},"badge":{"set":1}"#, ["/translations"]),
    (#""alert":"hi","relevanceScore":1.01"#, ["/relevanceScore"]), (#""pushType":"liveactivity""#, ["/liveActivity"]),
    (#""pushType":"mdm","mdm":"magic""#, ["/pushType"]), (#""pushType":"mdm""#, ["/mdm", "/pushType"]),
    (#""pushType":"fileprovider""#, ["/data"]),
    (
      #""liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T","attributes":{}}"#,
      ["/alert"]
    ),
    (#""liveActivity":{"event":"end","timestamp":1},"sound":"a.caf""#, ["/sound"]),
    (#""liveActivity":{"event":"end","timestamp":1},"alert":{"body":"b","subtitle":"s"}"#, ["/alert/subtitle"]),
    (
      #""liveActivity":{"event":"end","timestamp":1},"alert":{"body":"b","subtitleLocKey":"k"}"#,
      ["/alert/subtitleLocKey"]
    ),
    (
      #""liveActivity":{"event":"end","timestamp":1},"alert":"b","translations":{"ko-KR":{"body":"b","launchImage":"i"}}"#,
      ["/translations/ko-KR/launchImage"]
    ),
  ])
  func `what does not fit together is refused`(members: String, expected: [String]) {
    #expect(pointers(members) == expected)
  }

  @Test(arguments: [
    (#""alert":{"title":"t"}"#, "/alert/body"), (#""alert":{"body":"b","locKey":"k"}"#, "/alert/locKey"),
    (#""alert":{"body":"b","locArgs":["a"]}"#, "/alert/locArgs"),
    (#""alert":{"body":"b","title":"t","titleLocKey":"k"}"#, "/alert/titleLocKey"),
    (#""alert":{"body":"b","titleLocArgs":[]}"#, "/alert/titleLocArgs"),
    (#""alert":{"body":"b","subtitle":"s","subtitleLocKey":"k"}"#, "/alert/subtitleLocKey"),
    (#""alert":{"locKey":"k","locArgs":[1]}"#, "/alert/locArgs/0"),
    (#""alert":"hi","sound":{"name":"a"}"#, "/sound/critical"),
    (#""alert":"hi","sound":{"critical":true,"volume":1.1}"#, "/sound/volume"),
    (#""alert":"hi","sound":{"critical":true,"volume":"1"}"#, "/sound/volume"),
    (#""alert":"hi","sound":{"critical":true,"loud":1}"#, "/sound/loud"),
    (#""alert":"hi","interruptionLevel":"loud""#, "/interruptionLevel"),
    (#""alert":"hi","priority":7"#, "/priority"), (#""alert":"hi","pushType":"sms""#, "/pushType"),
    (#""alert":"hi","collapseId":"""#, "/collapseId"), (#""alert":"hi","collapseId":"a\nb""#, "/collapseId"),
    (#""alert":"hi","collapseId":" a""#, "/collapseId"), (#""alert":"hi","collapseId":"가""#, "/collapseId"),
    (#""alert":"hi","data":{"mdm":"x"}"#, "/data/mdm"),
    (#""alert":"hi","translations":{"k_":"x"}"#, "/translations/k_"),
    (#""alert":"hi","translations":{"ko":"x","KO":"y"}"#, "/translations/KO"),
    (#""alert":"hi","variables":{"VAR10":"x"}"#, "/variables/VAR10"),
    (#""liveActivity":{"timestamp":1}"#, "/liveActivity/event"),
    (#""liveActivity":{"event":"end"}"#, "/liveActivity/timestamp"),
    (#""liveActivity":{"event":"update","timestamp":1}"#, "/liveActivity/contentState"),
    (#""liveActivity":{"event":"update","timestamp":1,"contentState":[]}"#, "/liveActivity/contentState"),
    (
      #""liveActivity":{"event":"update","timestamp":1,"contentState":{},"attributes":{}}"#,
      "/liveActivity/attributes"
    ),
    (
      #""liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T"}"#,
      "/liveActivity/attributes"
    ),
    (
      #""liveActivity":{"event":"update","timestamp":1,"contentState":{},"dismissalDate":9}"#,
      "/liveActivity/dismissalDate"
    ),
    (#""liveActivity":{"event":"end","timestamp":-1}"#, "/liveActivity/timestamp"),
    (#""liveActivity":{"event":"end","timestamp":1,"activityId":"a b"}"#, "/liveActivity/activityId"),
    (
      #""liveActivity":{"event":"start","timestamp":1,"contentState":{},"attributesType":"T","attributes":{},"activityId":"a"}"#,
      "/liveActivity/activityId"
    ),
    (#""alert":"hi","android":{"color":"red"}"#, "/android/color"),
    (##""alert":"hi","android":{"color":"#12345G"}"##, "/android/color"),
    (#""alert":"hi","android":{"image":"http://a.b/c.png"}"#, "/android/image"),
    (#""alert":"hi","android":{"image":"https://a.b/c d.png"}"#, "/android/image"),
    (#""alert":"hi","android":{"priority":"urgent"}"#, "/android/priority"),
    (#""alert":"hi","android":{"analyticsLabel":"a b"}"#, "/android/analyticsLabel"),
    (#""alert":"hi","android":{"analyticsLabel":"\#(String(repeating: "a", count: 51))"}"#, "/android/analyticsLabel"),
    (#""alert":"hi","android":{"channelId":""}"#, "/android/channelId"),
    (#""alert":"hi","android":{"channel_id":"x"}"#, "/android/channel_id"),
    (#""contentAvailable":true,"android":{"icon":"x"}"#, "/android/icon"),
    (#""badge":{"set":1},"android":{"tag":"x"}"#, "/android/tag"),
    (#""pushType":"voip","android":{"priority":"high"}"#, "/android"),
  ])
  func `a wrong value is named by its pointer`(members: String, pointer: String) {
    #expect(pointers(members) == [pointer])
  }

  @Test func `a collapse id has at most 64 bytes`() {
    func collapse(_ count: Int) -> String { #""alert":"hi","collapseId":"\#(String(repeating: "c", count: count))""# }
    #expect(pointers(collapse(64)) == [])
    #expect(pointers(collapse(65)) == ["/collapseId"])
  }

  @Test func `a relevance score may be 0 and 1, and anything for a Live Activity`() {
    for score in ["0", "1", "0.75", "1e-3"] { #expect(pointers(#""alert":"hi","relevanceScore":\#(score)"#) == []) }
    #expect(pointers(#""liveActivity":{"event":"end","timestamp":1},"relevanceScore":100"#) == [])
  }

  // MARK: Variables

  @Test(arguments: [
    (#""alert":"%VAR1%""#, ["/alert"]),
    (#""alert":"\u0025VAR1\u0025""#, ["/alert"]),
    (#""alert":{"title":"%VAR1%","body":"%VAR9%"}"#, ["/alert/title", "/alert/body"]),
    (#""alert":"hi","ext":"%VAR2%","data":{"k":["%VAR3%"]}"#, ["/ext", "/data/k"]),
    (#""alert":"hi","data":{"a/b":"%VAR3%"}"#, ["/data/a~1b"]),
    (#""alert":"hi","translations":{"ko-KR":"%VAR4%"}"#, ["/translations/ko-KR"]),
    (#""alert":"hi","translations":{"ko":{"title":"%VAR4%","body":"b"}}"#, ["/translations/ko/title"]),
    (#""alert":{"locKey":"k","locArgs":["a","%VAR5%"]}"#, ["/alert/locArgs"]),
    (#""alert":{"titleLocKey":"k","titleLocArgs":["%VAR5%"],"body":"b"}"#, ["/alert/titleLocArgs"]),
    (#""alert":"%VAR1% %VAR2%","variables":{"VAR1":"x"}"#, ["/alert"]),
    (#""alert":"%VAR1% %VAR2%","variables":{"VAR1":"x","VAR2":""}"#, []), (#""alert":"%VAR0% %VAR% %VAR10%""#, []),
  ])
  func `a variable that nobody fills is refused where it stands`(members: String, expected: [String]) {
    #expect(pointers(members) == expected)
  }
}
