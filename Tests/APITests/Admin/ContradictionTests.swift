import Domain
import HTTPClient
import Operations
import Testing

/// What is right by itself and cannot be together is 422, as in a send; what is wrong by itself is 400. The document can
/// say the second kind, not the first.
@Suite struct ContradictionTests {
  private static let app = #""appId":"com.example.bank""#
  private static func nested(_ depth: Int) -> String {
    String(repeating: #"{"not":"#, count: depth - 1) + #"{"member":true}"# + String(repeating: "}", count: depth - 1)
  }

  @Test func `what cannot be together is impossible, not wrong`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let many = (1...51).map { #"{"clientUids":["\#($0)"]}"# }.joined(separator: ",")
    let night = #""night":{"from":"21:00","to":"21:00"}"#
    for (method, path, body) in [
      ("GET", "/v1/admin/statistics?from=2026-11-21T10:00:00Z&to=2026-11-21T09:00:00Z", nil),
      ("GET", "/v1/admin/statistics?by=minute&from=2026-11-01T00:00:00Z&to=2026-11-21T09:00:00Z", nil),
      (
        "GET",
        "/v1/admin/tags?appId=com.example.bank&clientUid=kim&device=b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b", nil
      ),
      ("POST", "/v1/admin/tags", #"{\#(Self.app),"clientUids":["new"],"add":["a","vip"],"remove":["vip"]}"#),
      ("POST", "/v1/admin/imports", #"{\#(Self.app),"kind":"members"}"#),
      ("POST", "/v1/admin/imports", #"{\#(Self.app),"kind":"users","groupSeq":"1"}"#),
      ("POST", "/v1/admin/segment-counts", #"{\#(Self.app),"conditions":\#(Self.nested(7))}"#),
      ("POST", "/v1/admin/segment-counts", #"{\#(Self.app),"conditions":{"any":[\#(many)]}}"#),
      ("POST", "/v1/admin/segments", #"{\#(Self.app),"name":"deep","conditions":\#(Self.nested(7))}"#),
      ("PUT", "/v1/admin/credentials", "{\(Self.app)}"),
      ("PUT", "/v1/admin/apps/com.example.bank/ad-rules", "{\(night)}"),
      ("POST", "/v1/admin/messages", #"{\#(Self.app),"audience":{"all":true},"alert":{"title":"no body"}}"#),
      (
        "POST", "/v1/admin/messages",
        #"{\#(Self.app),"audience":{"all":true},"alert":{"body":"b","subtitleLocArgs":["a"]}}"#
      ),
      ("POST", "/v1/admin/messages", #"{\#(Self.app),"audience":{"segment":\#(Self.nested(7))},"alert":"x"}"#),
    ] as [(String, String, String?)] {
      let answer = try world.call(method, path, key: key, type: body.map { _ in "application/json" }, body ?? "")
      #expect(answer.isProblem(.impossible), "\(method) \(path) \(body ?? ""): \(answer.text)")
    }
    let path = "/v1/admin/segment-counts"
    let deepest = try world.call("POST", path, key: key, #"{\#(Self.app),"conditions":\#(Self.nested(6))}"#)
    #expect(deepest.status == 200, "\(deepest.text)")
  }

  @Test func `what is wrong by itself is named`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let long = String(repeating: "x", count: 257)
    for path in [
      "/v1/admin/users/\(long)/export?appId=com.example.bank", "/v1/admin/webhooks?cursor=-1",
      "/v1/admin/webhooks?cursor=", "/v1/admin/apps?cursor=", "/v1/admin/users?appId=com.example.bank&cursor=",
      "/v1/admin/segments?appId=com.example.bank&cursor=x",
      "/v1/admin/devices?appId=com.example.bank&psid=1234567",
    ] {
      let answer = try world.call("GET", path, key: key, type: nil)
      #expect(answer.isProblem(.invalidField), "\(path): \(answer.text)")
    }
    let path = "/v1/admin/webhooks?cursor=\(PageRequest.cursor(behind: "999999999999999999"))"
    #expect(try world.call("GET", path, key: key, type: nil).text == #"{"items":[],"nextCursor":null}"#)
    #expect(
      try world.call(
        "PATCH", "/v1/admin/groups/1", key: key, "{}"
      ).status == 400)
  }
}
