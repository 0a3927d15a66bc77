import Testing

@testable import Domain

@Suite struct MessageRequestTests {
  private func parse(_ json: String) throws(Problem) -> MessageRequest {
    try MessageRequest(json: Array(json.utf8))
  }

  private func with(_ members: String) -> String {
    #"{"appId":"a","audience":{"all":true},\#(members)}"#
  }

  private func problem(_ json: String) -> Problem? {
    do throws(Problem) {
      _ = try parse(json)
      return nil
    } catch {
      return error
    }
  }

  @Test func `everything that a send may ask for is read`() throws {
    let request = try parse(
      """
      {"appId":"com.example.bank","audience":{"clientUids":["kim01"]},
       "alert":{"title":"이체 완료","body":"10,000원"},"badge":{"increment":1},
       "sound":"alert.aif","category":"TRANSFER","mutableContent":true,
       "ext":"6|부가정보|https://www.example.com","data":{"accountId":"7","list":[1,2]},
       "lane":"urgent","expiresIn":"PT10M","dbIn":false,"sms":true,"sender":"UMSUI","onUnknown":"skip","dryRun":true}
      """)
    #expect(request.appID == "com.example.bank")
    #expect(request.audience == .clientUIDs(["kim01"]))
    #expect(request.content.alert == .titled(title: "이체 완료", body: "10,000원"))
    #expect(request.badge == .increment(1))
    #expect(request.content.sound == .named("alert.aif"))
    #expect(request.content.category == "TRANSFER")
    #expect(request.content.isMutableInEffect && !request.content.contentAvailable)
    #expect(request.content.ext == "6|부가정보|https://www.example.com")
    #expect(request.content.data.map(\.name) == ["accountId", "list"])
    #expect(request.content.data.map { String(decoding: $0.json, as: UTF8.self) } == [#""7""#, "[1,2]"])
    #expect(request.lane == .urgent)
    #expect(request.expiresInSeconds == 600)
    #expect(!request.dbIn && request.sms && request.dryRun)
    #expect(request.sender == "UMSUI")
    #expect(request.onUnknown == .skip)
  }

  @Test func `what is not said has its default`() throws {
    let request = try parse(with(#""alert":"hi""#))
    #expect(request.content.alert == .text("hi"))
    #expect(request.badge == .none)
    #expect(request.content.sound == nil)
    #expect(request.lane == .normal)
    #expect(request.expiresInSeconds == 86_400)
    #expect(request.dbIn && !request.sms && !request.dryRun)
    #expect(request.sender == "admin")
    #expect(request.onUnknown == .resend)
  }

  @Test func `an app, an audience and something to show are needed`() {
    #expect(problem(#"{"audience":{"all":true},"alert":"hi"}"#)?.fields.first?.pointer == "/appId")
    #expect(problem(#"{"appId":"a","alert":"hi"}"#)?.fields.first?.pointer == "/audience")
    #expect(problem(#"{"appId":"a","audience":{"all":true}}"#)?.fields.first?.pointer == "/alert")
    #expect(problem(#"{"appId":"a","audience":{"all":true},"contentAvailable":true}"#) == nil)
    #expect(problem(#"{"appId":"a","audience":{"all":true},"badge":{"clear":true}}"#) == nil)
  }

  @Test func `mutable content needs an alert`() {
    let json = #"{"appId":"a","audience":{"all":true},"contentAvailable":true,"mutableContent":true}"#
    #expect(problem(json)?.fields.first?.pointer == "/mutableContent")
  }

  @Test(arguments: [
    (#""alert":"hi","color":"red""#, "/color"), (#""alert":{"body":"b","footer":"s"}"#, "/alert/footer"),
    (#""alert":"hi","lane":"fast""#, "/lane"),
    (#""alert":"hi","onUnknown":"maybe""#, "/onUnknown"), (#""alert":"hi","expiresIn":"10m""#, "/expiresIn"),
    (#""alert":"hi","expiresIn":"P31D""#, "/expiresIn"), (#""alert":"hi","dbIn":"Y""#, "/dbIn"),
    (#""alert":"hi","data":{"aps":{}}"#, "/data/aps"), (#""alert":"hi","data":{"mps":1}"#, "/data/mps"),
    (#""alert":"hi","sound":"""#, "/sound"), (#""alert":"""#, "/alert"), (#""alert":5"#, "/alert"),
    (#""alert":"hi","badge":{}"#, "/badge"), (#""alert":"hi","badge":{"increment":1,"set":2}"#, "/badge"),
    (#""alert":"hi","badge":{"clear":false}"#, "/badge/clear"), (#""alert":"hi","badge":1"#, "/badge"),
    (#""alert":"a\u0000b""#, "/alert"), (#""alert":"hi","alert":"ho""#, "/alert"),
  ])
  func `a wrong field is named by its pointer`(members: String, pointer: String) {
    let problem = problem(with(members))
    #expect(problem?.code == .invalidField)
    #expect(problem?.fields.first?.pointer == pointer)
  }

  @Test(arguments: [
    (#""alert":{"title":"t"}"#, "/alert/body"), (#""badge":{"clear":true},"mutableContent":true"#, "/mutableContent"),
    (#""sound":"a""#, "/alert"),
    (#""alert":"hi","localTime":"2026-12-24T09:00","sendAt":"2026-12-24T09:00:00Z""#, "/localTime"),
    (#""alert":"hi","repeat":{"every":"day","until":"2027-01-31"}"#, "/repeat"),
    (#""alert":"hi","window":{"from":"08:00","to":"08:00:00"}"#, "/window/to"),
  ])
  func `fields that are right by themselves but not together are impossible`(members: String, pointer: String) {
    let problem = problem(with(members))
    #expect(problem?.code == .impossible && problem?.code.status == 422)
    #expect(problem?.fields.first?.pointer == pointer)
  }

  @Test(arguments: ["", "{", "[]", "nope", #"{"appId":"a"} {}"#])
  func `what is not one JSON object is malformed`(json: String) {
    #expect(problem(json)?.code == .malformed)
  }

  @Test(arguments: ["0", "1001", "-1", "2.5", "\"x\"", "null", "true", "1e4", "99999999999999999999"])
  func `a badge outside 1 to 1000 is refused with the range`(value: String) {
    for kind in ["increment", "set"] {
      let problem = problem(with("\"alert\":\"hi\",\"badge\":{\"\(kind)\":\(value)}"))
      #expect(problem?.code.status == 400)
      #expect(problem?.detail == "/badge/\(kind) must be a whole number from 1 to 1000.")
    }
  }

  @Test(arguments: [1, 1000]) func `the ends of the range are allowed`(value: Int16) throws {
    #expect(try parse(with("\"alert\":\"hi\",\"badge\":{\"set\":\(value)}")).badge == .set(value))
  }
}
