import Domain
import Testing

/// Query parameters: `/v1` refuses unknown ones, the SDK's controllers ignore them.
@Suite(.serialized) struct QueryTests {
  private static let token = World.token("a1")

  @Test func `devices and confirmations take no parameter that is not known`() throws {
    let world = try World()
    let made = try world.register("D1", token: Self.token, user: "kim")
    let own = "/v1/devices/\(try #require(made.string("device")))"
    let authKey = try #require(made.string("authKey"))
    for (method, path, body) in [
      ("GET", own, ""), ("GET", "\(own)/groups", ""), ("GET", "\(own)/badge", ""), ("DELETE", own, ""),
      ("PUT", "\(own)/badge", #"{"badge":3}"#), ("POST", "/v1/receipts", #"{"receipts":[]}"#),
      ("POST", "/v1/reads", #"{"reads":[]}"#), ("POST", "/v1/devices", "{}"),
    ] {
      let answer = try world.client.call(method, "\(path)?clientUid=kim", bearer: authKey, body)
      #expect(answer.status == 400 && answer.string("type") == "upmc:invalid-field", "\(method) \(path): \(answer)")
      #expect(answer.string("detail")?.contains("\"clientUid\"") == true, "\(method) \(path): \(answer)")
    }
    let twice = try world.client.call("GET", "\(own)/groups?limit=1&limit=2", bearer: authKey)
    #expect(twice.status == 400 && twice.string("detail")?.contains("twice") == true, "\(twice)")
    #expect(try world.client.call("GET", "\(own)/groups?limit=1", bearer: authKey).status == 200)
    // It was refused above, not carried out.
    #expect(try world.client.call("GET", own, bearer: authKey).status == 200)
  }

  @Test func `a quick send with a parameter is refused like any other`() throws {
    let world = try World()
    try world.register("D1", token: Self.token, user: "kim")
    let body = #"{"appId":"\#(World.appID)","audience":{"clientUids":["kim"]},"alert":"hi"}"#
    let refused = try world.client.call("POST", "/v1/admin/messages?dryRun=true", bearer: world.apiKey, body)
    #expect(refused.status == 400 && refused.string("detail")?.contains("\"dryRun\"") == true, "\(refused)")
    #expect(try world.payloads(Self.token).isEmpty)
  }

  @Test func `the SDK's controllers ignore what they do not know, in the address and in the form`() throws {
    let world = try World()
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "D1", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", ["CNAME": "Kim", "NONSENSE": "1"]).isOK)
    let answer = try app.call("rcv_init_badgeNo.ctl?NONSENSE=1&NONSENSE=2", ["BADGENO": "7"])
    #expect(answer.isOK && answer.row["BADGENO"] as? String == "7", "\(answer)")
  }
}
