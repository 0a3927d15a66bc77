import Crypto
import JSON
import Testing

@testable import Domain

@Suite struct PayloadTemplateTests {
  private let keys = PushKeyring(present: SymmetricKey(Array(UInt8(0)..<32)))
  private let psid = String(repeating: "ab", count: 32)

  private func template(_ json: String, seqno: Int64 = 104) throws -> PayloadTemplate {
    PayloadTemplate(try MessageRequest(json: Array(json.utf8)), seqno: Seqno(seqno), sendDate: "2020081214")
  }

  private func payload(
    _ json: String, clientUID: String = "kim01", name: String = "Kim", badge: Int16 = 1
  ) throws -> String {
    var bytes: [UInt8] = []
    try template(json).append(
      for: PayloadTemplate.Recipient(
        userKey: UserKey(clientUID: clientUID), clientName: name, badge: badge, psid: psid), keys: keys, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func send(_ members: String) -> String {
    #"{"appId":"com.uracle.push.test","audience":{"clientUids":["kim01"]},\#(members)}"#
  }

  @Test func `a payload with everything has these bytes`() throws {
    let json = send(
      #""alert":{"title":"제목","body":"내용"},"mutableContent":true,"badge":{"increment":1},"sound":"alert.aif","#
        + #""sender":"UMSUI","sms":true,"ext":"6|부가정보|https://www.morpheus.kr","data":{"accountId":"7"}"#)
    #expect(
      try payload(json)
        == #"{"aps":{"alert":{"title":"제목","body":"내용"},"mutable-content":1,"badge":1,"sound":"alert.aif"},"#
        + #""mps":{"appid":"com.uracle.push.test","seqno":"104","sender":"UMSUI","senddate":"2020081214","#
        + #""db_in":"Y","sms":"Y","ext":"6|부가정보|https://www.morpheus.kr","#
        + #""pushkey":"ccd698da8e9e4d0f4bdd56cd2e89252b5a780487"},"accountId":"7"}"#)
  }

  @Test func `the smallest payload has the default sound and sender, and no badge, sms or ext`() throws {
    #expect(
      try payload(send(#""alert":"hi""#))
        == #"{"aps":{"alert":"hi","sound":"default"},"mps":{"appid":"com.uracle.push.test","seqno":"104","#
        + #""sender":"admin","senddate":"2020081214","db_in":"Y","#
        + #""pushkey":"ccd698da8e9e4d0f4bdd56cd2e89252b5a780487"}}"#)
  }

  @Test func `where variables are not filled they are text as any other`() throws {
    let text = #""fillVariables":false,"alert":"%CUID% %VAR1%","variables":{"VAR1":"x"}"#
    #expect(try payload(send(text)).hasPrefix(#"{"aps":{"alert":"%CUID% %VAR1%","sound":"default"}"#))
    #expect(try payload(send(text.replacing("false", with: "true"))).hasPrefix(#"{"aps":{"alert":"kim01 x","#))
    // Then nobody need say what they stand for.
    #expect(try payload(send(#""fillVariables":false,"alert":"%VAR2%""#)).contains("%VAR2%"))
    #expect(throws: Problem.self) { try payload(send(#""alert":"%VAR2%""#)) }
  }

  @Test func `a null sound is silent, and a push without an alert has none`() throws {
    #expect(try !payload(send(#""alert":"hi","sound":null"#)).contains("sound"))
    let background = try payload(send(#""contentAvailable":true,"dbIn":false"#))
    #expect(background.hasPrefix(#"{"aps":{"content-available":1},"#))
    #expect(background.contains(#""db_in":"N""#))
  }

  @Test(arguments: [
    (#""badge":{"increment":3}"#, #""badge":17"#), (#""badge":{"set":5}"#, #""badge":5"#),
    (#""badge":{"clear":true}"#, #""badge":0"#),
  ])
  func `the badge is the user's count, the number asked for, or 0`(request: String, expected: String) throws {
    #expect(try payload(send(#""alert":"hi","# + request), badge: 17).contains(expected))
  }

  @Test func `variables are filled wherever a text was written, escaped as JSON`() throws {
    let text = try payload(
      send(#""alert":{"title":"%CNAME%","body":"%CUID% and %CUID%"},"ext":"0|%CNAME%","data":{"k":"%CUID%"}"#),
      clientUID: #"a"b\c"#, name: "Kim\nLee")
    #expect(text.contains(#""title":"Kim\nLee","body":"a\"b\\c and a\"b\\c""#))
    #expect(text.contains(#""ext":"0|Kim\nLee""#))
    #expect(text.contains(#""k":"a\"b\\c""#))
    var reader = JSONReader(Array(text.utf8))
    try reader.skip()
    try reader.finish()
  }

  @Test func `what only resembles a variable stays as it is`() throws {
    let text = try payload(send(#""alert":"100% %CUID %cuid% %%CUID%% %VAR0% %VAR10%""#))
    #expect(text.contains(#""alert":"100% %CUID %cuid% %kim01% %VAR0% %VAR10%""#))
  }

  @Test func `a variable in a value does not begin another one`() throws {
    #expect(try payload(send(#""alert":"%CNAME%""#), name: "%CUID%").contains(#""alert":"%CUID%""#))
  }

  @Test func `control characters of a sender are no holes`() throws {
    let text = try payload(send(#""alert":"\u0001\u0002","data":{"k":"\u0001"},"badge":{"increment":1}"#))
    #expect(text.contains(#""alert":"\u0001\u0002""#))
    #expect(text.contains(#""k":"\u0001""#))
  }

  @Test func `names are needed only where they are used`() throws {
    #expect(try template(send(#""alert":"%CNAME%""#)).needsClientName)
    #expect(try !template(send(#""alert":"%CUID%""#)).needsClientName)
  }

  @Test func `a payload is measured exactly`() throws {
    let json = send(#""alert":"%CUID% %CNAME% %CNAME%","badge":{"increment":1}"#)
    let longest = try payload(json, clientUID: String(repeating: "u", count: 9), name: "abcde", badge: 1000)
    let measure = try #require(try template(json).measures.first)
    #expect(measure.bytes + 9 + 2 * 5 == longest.utf8.count)
    #expect(measure.uses == [.clientUID: 1, .clientName: 2])
  }

  @Test func `the number in the payload is text, whatever its length`() throws {
    var bytes: [UInt8] = []
    try template(send(#""alert":"hi""#), seqno: Int64.max).append(
      for: PayloadTemplate.Recipient(
        userKey: UserKey(clientUID: ""), clientName: "", badge: 0, psid: psid), keys: keys, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""seqno":"9223372036854775807""#))
  }
}
