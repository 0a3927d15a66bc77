import Testing

/// A device's groups, page by page.
@Suite struct GroupPageTests {
  @Test func `groups come in pages, each behind the one before`() throws {
    let world = try World()
    let device = try world.register("phone", token: World.token("aa"), user: "kim01")
    let path = "/v1/devices/\(try #require(device.string("device")))/groups"
    let key = device.string("authKey")
    for number in 1...5 {
      let made = try world.client.call(
        "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"g\#(number)"}"#)
      let group = try #require(made.string("groupSeq"))
      #expect(try world.client.call("PUT", "\(path)/\(group)", bearer: key).status == 204)
    }
    var names: [String] = []
    var sizes: [Int] = []
    var cursor: String? = ""
    while let next = cursor {
      let page = try world.client.call("GET", "\(path)?limit=2\(next.isEmpty ? "" : "&cursor=\(next)")", bearer: key)
      let items = try #require(page["items"] as? [[String: Any]])
      names += items.compactMap { $0["name"] as? String }
      sizes.append(items.count)
      cursor = page.string("nextCursor")
    }
    #expect(names == ["g1", "g2", "g3", "g4", "g5"])
    #expect(sizes == [2, 2, 1])
    #expect(try world.client.call("GET", path, bearer: key).text.hasSuffix(#""nextCursor":null}"#))
  }

  @Test func `a page that makes no sense is refused`() throws {
    let world = try World()
    let device = try world.register("phone", token: World.token("aa"), user: "kim01")
    let path = "/v1/devices/\(try #require(device.string("device")))/groups"
    for query in ["limit=0", "limit=1001", "limit=x", "cursor=x", "cursor=0", "cursor="] {
      let reply = try world.client.call("GET", "\(path)?\(query)", bearer: device.string("authKey"))
      #expect(reply.status == 400 && reply.string("type") == "upmc:invalid-field", "\(query): \(reply.text)")
    }
  }
}
