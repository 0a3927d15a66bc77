import Testing

@testable import Domain

/// What of a confidential request stands in the open, and what is sealed.
@Suite struct SealedRequestTests {
  private func split(_ json: String) throws -> (plain: String, content: String) {
    let parts = try SealedRequest.split(Array(json.utf8))
    return (String(decoding: parts.plain, as: UTF8.self), String(decoding: parts.content, as: UTF8.self))
  }

  @Test func `each part keeps the order and the text of its members`() throws {
    let parts = try split(
      #"{ "alert" : "한 \"x\"", "appId":"a","dryRun":false,"data":{"k": [1, 2]},"confidential":true,"lane":"urgent"}"#)
    #expect(parts.plain == #"{"appId":"a","lane":"urgent","confidential":true,"sealed":true,"alerts":true}"#)
    #expect(parts.content == #"{"alert":"한 \"x\"","data":{"k": [1, 2]}}"#)
    let whole = try SealedRequest.join(Array(parts.plain.utf8), Array(parts.content.utf8))
    #expect(
      String(decoding: whole, as: UTF8.self)
        == #"{"appId":"a","lane":"urgent","confidential":true,"alert":"한 \"x\"","data":{"k": [1, 2]}}"#)
  }

  @Test func `only a request with an alert says that it has one, and members that are not known are sealed`() throws {
    let parts = try split(#"{"appId":"a","badge":{"set":1},"future":1}"#)
    #expect(parts.plain == #"{"appId":"a","badge":{"set":1},"confidential":true,"sealed":true}"#)
    #expect(parts.content == #"{"future":1}"#)
  }

  @Test func `what is no object of valid text is refused`() {
    for text in ["[]", #"{"a":1}x"#, #"{"a":"\q"}"#, #"{"a":"b"#] {
      #expect(throws: Problem.self, "\(text)") { try split(text) }
    }
  }
}
