import Testing

@testable import Simulator

@Suite struct `Payload rules` {
  private func reason(bytes: Int, _ type: PushType?) -> Reason? {
    let request = TestRequest(authorization: nil, body: String(repeating: "x", count: bytes)).request
    return PayloadRules.check(request, type, isStrict: false)?.reason
  }

  @Test func `an empty payload is refused`() {
    #expect(reason(bytes: 0, .alert) == .payloadEmpty)
    #expect(reason(bytes: 1, .alert) == nil)
  }

  @Test(arguments: PushType.allCases)
  func `a payload has at most 4096 bytes, 5120 for voip`(type: PushType) {
    let limit = type == .voip ? 5120 : 4096
    #expect(reason(bytes: limit, type) == nil)
    #expect(reason(bytes: limit + 1, type) == .payloadTooLarge)
  }

  @Test func `without push type the limit is 4096`() {
    #expect(reason(bytes: 4096, nil) == nil)
    #expect(reason(bytes: 4097, nil) == .payloadTooLarge)
    #expect(reason(bytes: 1 << 20, nil) == .payloadTooLarge)
  }

  @Test(arguments: [
    (#"{"aps":{"alert":"hi"}}"#, PushType.alert, true), (#"{"aps":{"badge":1},"x":[1,2,{"y":null}]}"#, .alert, true),
    (#"{"aps":"hi"}"#, .alert, false), (#"{"mps":{}}"#, .alert, false), ("[]", .alert, false),
    (#"{"aps":{}"#, .alert, false), (#"{"aps":{}} x"#, .alert, false), (#"{"mdm":"magic"}"#, .mdm, true),
    (#"{"aps":{}}"#, .mdm, false), ("x", .alert, false),
  ])
  func `the strict check demands JSON with aps`(body: String, type: PushType, isGood: Bool) {
    let request = TestRequest(authorization: nil, body: body).request
    #expect(PayloadRules.check(request, type, isStrict: true) == (isGood ? nil : Rejection(.badRequestPayload)))
    #expect(PayloadRules.check(request, type, isStrict: false) == nil)
  }
}
