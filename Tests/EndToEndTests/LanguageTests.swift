import Testing

/// In which language the server refuses, through the real server.
@Suite(.serialized) struct LanguageTests {
  /// Requests that are refused: method, path below `/v1/admin`, and body. APP stands for the app's id.
  private static let refused: [(String, String, String)] = [
    ("POST", "/messages", "{}"), ("POST", "/messages", "{"), ("POST", "/messages", "[]"),
    ("POST", "/messages", #"{"appId":"none.such","audience":{"all":true},"alert":"A"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true},"alert":"A","expiresIn":"soon"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true},"alert":"A","sendAt":"tomorrow"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true},"alert":"A","nonsense":1}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true},"alert":"%VAR1%"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true},"alert":"A","mediaUrl":"http://a.b"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"clientUids":[]},"alert":"A"}"#),
    ("POST", "/messages", #"{"appId":"APP","audience":{"all":true}}"#), ("GET", "/messages/999999", ""),
    ("POST", "/messages/999999/cancel", "{}"), ("GET", "/messages/abc", ""), ("POST", "/apps", "{}"),
    ("POST", "/apps", #"{"appId":"no blanks please"}"#), ("POST", "/accounts", #"{"login":"a b","role":"admin"}"#),
    ("POST", "/groups", #"{"appId":"APP","name":""}"#), ("GET", "/groups/999999?appId=APP", ""),
    ("POST", "/segments", #"{"appId":"APP","name":"A","conditions":{"all":[]}}"#),
    ("GET", "/users/nobody?appId=APP", ""),
    ("POST", "/webhooks", #"{"appId":"APP","url":"http://example.com","kinds":["message.finished"]}"#),
    ("PUT", "/credentials", #"{"appId":"APP"}"#), ("GET", "/messages?limit=0", ""), ("GET", "/apps?nonsense=1", ""),
    ("GET", "/nowhere", ""), ("DELETE", "/overview", ""), ("DELETE", "/sessions/999999", ""),
    ("GET", "/statistics?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&by=hour", ""),
  ]

  @Test func `refusals are in the language that the client accepts`() throws {
    let world = try World()
    for (method, path, body) in Self.refused {
      let target = "/v1/admin" + path.replacing("APP", with: World.appID)
      func ask(_ language: String?) throws -> Reply {
        try world.client.call(
          method, target, bearer: world.apiKey, body.replacing("APP", with: World.appID),
          headers: language.map { [("Accept-Language", $0)] } ?? [])
      }
      let (plain, korean) = (try ask(nil), try ask("ko-KR,ko;q=0.9,en;q=0.5"))
      #expect(plain.status >= 400 && korean.status == plain.status, "\(method) \(path): \(korean)")
      #expect(korean.string("type") == plain.string("type"))
      #expect(plain.header("content-language") == "en" && korean.header("content-language") == "ko")
      #expect(korean.header("vary")?.contains("Accept-Language") == true)
      let fields = { (reply: Reply) in reply["errors"] as? [[String: Any]] ?? [] }
      #expect(fields(plain).map { $0["pointer"] as? String } == fields(korean).map { $0["pointer"] as? String })
      let details = fields(korean).map { $0["detail"] as? String ?? "" }
      let said = ["title", "detail"].map { korean.string($0) ?? "" } + details
      for text in said {
        // Three English words in a row are a sentence; names, codes and keys are not.
        #expect(text.contains(/[가-힣]/) && !text.contains(/[A-Za-z]{2,} [a-z]+ [a-z]+/), "\(method) \(path): \(text)")
      }
      #expect(plain.string("detail")?.contains(/[가-힣]/) == false, "\(method) \(path): \(plain)")
      #expect(try ask("fr, de;q=0.5").string("detail") == plain.string("detail"))
    }
  }

  @Test func `notes of a dry run, and what a device asks for, are too`() throws {
    let world = try World()
    try world.register("D1", token: World.token("a1"), user: "kim")
    let korean = [("Accept-Language", "ko")]
    let body = #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":"A","mutableContent":true,"dryRun":true}"#
    let tried = try world.client.call("POST", "/v1/admin/messages", bearer: world.apiKey, body, headers: korean)
    let notes = try #require(tried["notes"] as? [String])
    #expect(tried.header("content-language") == "ko")
    #expect(notes.contains { $0.hasPrefix("앱에 Notification Service Extension이 있어야 합니다") }, "\(notes)")
    let device = try world.client.call("GET", "/v1/devices/x", bearer: "y", headers: korean)
    #expect(device.string("detail") == "단말 ID는 등록할 때 받은 UUID입니다.", "\(device)")
    let key = try world.client.call("GET", "/v1/admin/apps", bearer: "nobody", headers: korean)
    #expect(key.status == 401 && key.string("detail")?.hasPrefix("API 키가 등록되지 않았거나") == true, "\(key)")
  }
}
