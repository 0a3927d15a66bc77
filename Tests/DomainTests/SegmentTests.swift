import JSON
import Testing

@testable import Domain

@Suite struct SegmentTests {
  private func read(_ json: String) throws -> Segment { try Segment(json: Array(json.utf8)) }

  private func pointer(_ json: String) -> String? {
    do throws(Problem) {
      _ = try Segment(json: Array(json.utf8))
      return nil
    } catch {
      return error.fields.first?.pointer ?? ""
    }
  }

  @Test func `members of an object must all hold`() throws {
    #expect(try read(#"{"member":true}"#) == .member(true))
    #expect(
      try read(#"{"platform":["iOS"],"country":["kr"],"not":{"language":["KO"]}}"#)
        == .all([.platform(["ios"]), .country(["KR"]), .not(.language(["ko"]))]))
    #expect(
      try read(#"{"any":[{"tags":{"any":["a"],"none":["b"]}},{"seen":{"within":"P1D"}}]}"#)
        == .any([.tags(Segment.Tags(any: ["a"], none: ["b"])), .time(.seen, Segment.TimeRange(within: 86_400))]))
    #expect(
      try read(#"{"consent":{"ad":true,"nightAd":false}}"#) == .all([.consent(.ad, true), .consent(.nightAd, false)]))
  }

  @Test(arguments: [
    ("{}", ""), ("[]", ""), (#"{"platform":[]}"#, "/platform"), (#"{"platform":"ios"}"#, "/platform"),
    (#"{"age":3}"#, "/age"), (#"{"appVersion":{}}"#, "/appVersion"),
    (#"{"appVersion":{"from":"2.x"}}"#, "/appVersion/from"), (#"{"appVersion":{"from":"1..2"}}"#, "/appVersion/from"),
    (#"{"appVersion":{"from":"1.2.3.4.5.6.7.8.9"}}"#, "/appVersion/from"),
    (#"{"appVersion":{"from":"1234567890"}}"#, "/appVersion/from"), (#"{"seen":{"since":"soon"}}"#, "/seen/since"),
    (#"{"seen":{"within":"P0D"}}"#, "/seen/within"), (#"{"tags":{"any":[" a"]}}"#, "/tags/any/0"),
    (#"{"tags":{"any":[""]}}"#, "/tags/any/0"), (#"{"tags":{}}"#, "/tags"), (#"{"any":[]}"#, "/any"),
    (#"{"any":[{}]}"#, "/any/0"), (#"{"not":{"groups":["x"]}}"#, "/not/groups/0"), (#"{"consent":{}}"#, "/consent"),
  ])
  func `what cannot be understood is named`(json: String, pointer: String) {
    #expect(self.pointer(json) == pointer)
  }

  @Test func `segments have at most fifty conditions and six levels`() throws {
    let condition = #"{"member":true}"#
    let many = { (count: Int) in
      #"{"any":["# + Array(repeating: condition, count: count).joined(separator: ",") + "]}"
    }
    _ = try read(many(49))
    #expect(throws: Problem.self) { try read(many(50)) }
    let deep = { (depth: Int) in
      String(repeating: #"{"not":"#, count: depth - 1) + condition + String(repeating: "}", count: depth - 1)
    }
    _ = try read(deep(6))
    #expect(throws: Problem.self) { try read(deep(7)) }
  }
}
