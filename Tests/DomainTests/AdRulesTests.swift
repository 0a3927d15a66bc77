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

  @Test func `an app without rules takes anything`() throws {
    #expect(try pointers(#""alert":"Sale""#, AdRules(night: nil, label: "", optOut: "")) == [])
  }
}
