import Domain
import HTTPClient
import HTTPServer
import Operations
import Testing

@testable import API

/// What stands behind the `?` is read as strictly as a body.
@Suite struct QueryTests {
  @Test func `a list that is asked for one person does not show everybody's`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let refused = try world.call("GET", "/v1/admin/messages?clientUid=kim", key: key, type: nil)
    #expect(refused.isProblem(.invalidField), "\(refused.text)")
    for word in [#"\"clientUid\""#, "appId", "state", "lane", "from", "to", "limit", "cursor"] {
      #expect(refused.text.contains(word), "\(word): \(refused.text)")
    }
    #expect(try world.call("GET", "/v1/admin/messages?state=completed&limit=3", key: key, type: nil).status == 200)
  }

  @Test func `no route takes a parameter that it does not know, or one twice`() throws {
    let world = try AdminWorld()
    let keys = try Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0, try world.key($0, app: nil)) })
    for route in Endpoint.ofAdmin {
      let key = try #require(Role.allCases.first { route.permission.map($0.allows) ?? true }.flatMap { keys[$0] })
      let path = route.pattern.replacing(#/\{\w+\}/#, with: "1")
      let name = "\(route.method.rawValue) \(path)"
      for query in ["nonsense=1", "APPID=x"] + (route.query.first.map { ["\($0)=1&\($0)=1"] } ?? []) {
        let answer = try world.call(route.method.rawValue, "\(path)?\(query)", key: key, "{}")
        #expect(answer.isProblem(.invalidField), "\(name)?\(query): \(answer.status) \(answer.text)")
        #expect(answer.text.contains("parameter"), "\(name)?\(query): \(answer.text)")
      }
    }
  }

  @Test func `who may not ask at all learns nothing of the parameters`() throws {
    let world = try AdminWorld()
    #expect(try world.call("GET", "/v1/admin/messages?x=1", type: nil).isProblem(.noCredential))
    let viewer = try world.key(.viewer)
    #expect(try world.call("GET", "/v1/admin/audit?x=1", key: viewer, type: nil).isProblem(.forbidden))
  }

  @Test func `a send with a parameter is refused, and nothing is stored`() throws {
    let world = try AdminWorld()
    let key = try world.key(.admin)
    let refused = try world.call("POST", "/v1/admin/messages?appId=com.example.bank", key: key, AdminWorld.send)
    #expect(refused.isProblem(.invalidField) && refused.text.contains("takes no parameters"), "\(refused.text)")
    let list = try world.call("GET", "/v1/admin/messages", key: key, type: nil)
    #expect(list.text == #"{"items":[],"nextCursor":null}"#, "\(list.text)")
  }
}
