import Testing

@testable import Simulator

@Suite struct `Payload badge` {
  @Test(arguments: [
    (#"{"aps":{"alert":"x","badge":12}}"#, 12), (#"{"aps":{"badge" : 0}}"#, 0),
    (#"{"aps":{"badge":1000,"x":1}}"#, 1000),
    (#"{"aps":{"alert":"no \"badge\" here","badge":5}}"#, 5), (#"{"aps":{"badge":"3"}}"#, nil), (#"{"aps":{}}"#, nil),
    (#"{"aps":{"badge":"#, nil), ("", nil), (#"{"badges":4}"#, nil),
    (#"{"aps":{"badge":99999999999999999999}}"#, 1_000_000),
  ])
  func `is the number behind its name`(payload: String, badge: Int?) {
    let bytes = Array(payload.utf8)
    #expect(PayloadBadge.find(in: bytes.span) == badge)
  }
}
