import Domain
import Testing

@Suite struct ConsentsTests {
  @Test func `an app that never asks gets everything but advertising`() {
    #expect(MessageKind.notice.mayReach(notification: nil, ad: nil))
    #expect(MessageKind.essential.mayReach(notification: nil, ad: nil))
    #expect(!MessageKind.ad.mayReach(notification: nil, ad: nil))
  }

  @Test func `advertising needs its own consent, and nothing but the essential passes a withdrawn one`() {
    #expect(MessageKind.ad.mayReach(notification: nil, ad: true))
    #expect(MessageKind.ad.mayReach(notification: true, ad: true))
    #expect(!MessageKind.ad.mayReach(notification: true, ad: false))
    #expect(!MessageKind.ad.mayReach(notification: false, ad: true))
    #expect(!MessageKind.notice.mayReach(notification: false, ad: true))
    #expect(MessageKind.essential.mayReach(notification: false, ad: false))
  }

  @Test(arguments: ["notice", "ad", "essential"]) func `a request says what it is`(name: String) throws {
    let request = try MessageRequest(
      json: Array(#"{"appId":"a","audience":{"all":true},"alert":"x","kind":"\#(name)"}"#.utf8))
    #expect(request.kind.rawValue == name)
  }

  @Test func `another kind is refused by its pointer`() {
    #expect(throws: Problem(at: "/kind", "must be one of notice, ad, essential")) {
      try MessageRequest(json: Array(#"{"appId":"a","audience":{"all":true},"alert":"x","kind":"spam"}"#.utf8))
    }
  }
}
