import Domain
import Testing

@Suite struct AdRulesTests {
  private let rules = AdRules(night: nil, label: "(광고)", optOut: "무료수신거부")

  private func pointers(_ content: String, _ rules: AdRules? = nil) throws -> [String] {
    let request = try MessageRequest(
      json: Array("{\"appId\":\"a\",\"audience\":{\"all\":true},\"kind\":\"ad\",\(content)}".utf8))
    do throws(Problem) {
      try (rules ?? self.rules).check(request.content)
      return []
    } catch {
      #expect(error.code == .impossible && error.detail.hasPrefix(error.fields[0].pointer))
      return error.fields.map(\.pointer)
    }
  }

  @Test func `the first text that is seen begins with the label, and one of them says how to refuse`() throws {
    #expect(try pointers(#""alert":"(광고) Sale. 무료수신거부 080""#) == [])
    #expect(try pointers(#""alert":{"title":"(광고) Sale","body":"무료수신거부 080"}"#) == [])
    #expect(try pointers(#""alert":{"body":"(광고) Sale 무료수신거부"}"#) == [])
    #expect(try pointers(#""alert":{"title":"Sale","body":"(광고) 무료수신거부"}"#) == ["/alert/title"])
    #expect(try pointers(#""alert":{"title":"(광고) Sale","body":"Come"}"#) == ["/alert/body"])
    #expect(try pointers(#""alert":"Sale (광고)""#) == ["/alert", "/alert"])
  }

  @Test func `every language is looked at`() throws {
    let texts = #""alert":"(광고) Sale 무료수신거부","translations":{"en":"(광고) 무료수신거부","ja":"Sale 무료수신거부"}"#
    #expect(try pointers(texts) == ["/translations/ja"])
    let parts = #""alert":"(광고) Sale 무료수신거부","translations":{"en-GB":{"title":"Sale","body":"무료수신거부"}}"#
    #expect(try pointers(parts) == ["/translations/en-GB/title"])
  }

  @Test func `texts inside the app, and messages without text, are not looked at`() throws {
    #expect(try pointers(#""alert":{"titleLocKey":"SALE","body":"(광고) 무료수신거부"}"#) == [])
    #expect(try pointers(#""alert":{"titleLocKey":"SALE","locKey":"TEXT"}"#) == [])
    #expect(try pointers(#""contentAvailable":true"#) == [])
  }

  @Test(arguments: [
    // a send window, whether it lies in a night from nine in the evening to eight in the morning
    ("22:00", "23:30", true), ("21:00", "08:00", true), ("23:00", "01:00", true), ("06:00", "08:00", true),
    ("20:59", "22:00", false), ("06:00", "08:01", false), ("09:00", "18:00", false), ("08:00", "21:00", false),
    ("22:00", "21:30", false),
  ])
  func `a send window without an hour of day is recognized`(opens: String, closes: String, isCovered: Bool) throws {
    let night = AdRules.Night(from: try #require(ClockTime("21:00")), to: try #require(ClockTime("08:00")))
    let json = """
      {"appId":"a","audience":{"all":true},"alert":"x","window":{"from":"\(opens)","to":"\(closes)"}}
      """
    let window = try #require(try MessageRequest(json: Array(json.utf8)).window)
    #expect(night.covers(window) == isCovered)
  }

  @Test func `an app without rules takes anything`() throws {
    #expect(try pointers(#""alert":"Sale""#, AdRules(night: nil, label: "", optOut: "")) == [])
  }
}
