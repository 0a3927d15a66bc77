import Testing

@testable import Simulator

@Suite struct `Header rules` {
  private func reason(_ name: String, _ value: String?) -> Reason? {
    reason(TestRequest(authorization: nil).with(name, value))
  }

  private func reason(_ request: TestRequest) -> Reason? {
    switch HeaderRules.check(request.request) {
    case .success: nil
    case .failure(let rejection): rejection.reason
    }
  }

  @Test(arguments: [
    ("123e4567-e89b-12d3-a456-4266554400a0", true), ("123E4567-E89B-12D3-A456-4266554400A0", true),
    ("123e4567-e89b-12d3-a456-4266554400a", false), ("123e4567-e89b-12d3-a456-4266554400a00", false),
    ("123e4567e89b12d3a4564266554400a0", false), ("123e4567-e89b-12d3-a4564-266554400a0", false),
    ("123e4567-e89b-12d3-a456-4266554400g0", false), ("", false),
  ])
  func `apns-id is a canonical UUID`(value: String, isGood: Bool) {
    #expect(reason("apns-id", value) == (isGood ? nil : .badMessageID))
  }

  @Test(arguments: [
    ("0", true), ("1800000000", true), ("1", true), ("9223372036854775807", true), ("9223372036854775808", false),
    ("-1", false), ("1.5", false), ("", false), ("tomorrow", false), ("1 ", false),
  ])
  func `apns-expiration is a whole number of seconds`(value: String, isGood: Bool) {
    #expect(reason("apns-expiration", value) == (isGood ? nil : .badExpirationDate))
  }

  @Test(arguments: [
    ("10", true), ("5", true), ("1", true), ("0", false), ("2", false), ("11", false), ("-5", false), ("", false),
    ("high", false),
  ])
  func `apns-priority is 10, 5 or 1`(value: String, isGood: Bool) {
    #expect(reason("apns-priority", value) == (isGood ? nil : .badPriority))
  }

  @Test func `a background push must not have priority 10, nor leave it to the default of 10`() {
    let request = TestRequest(authorization: nil).with("apns-push-type", "background")
    #expect(reason(request) == .badPriority)
    #expect(reason(request.with("apns-priority", nil)) == .badPriority)
    #expect(reason(request.with("apns-priority", "5")) == nil)
    #expect(reason(request.with("apns-priority", "1")) == nil)
  }

  @Test func `apns-collapse-id has at most 64 bytes, not characters`() {
    #expect(reason("apns-collapse-id", String(repeating: "c", count: 64)) == nil)
    #expect(reason("apns-collapse-id", String(repeating: "c", count: 65)) == .badCollapseID)
    #expect(reason("apns-collapse-id", String(repeating: "가", count: 21)) == nil)
    #expect(reason("apns-collapse-id", String(repeating: "가", count: 22)) == .badCollapseID)
  }

  @Test(arguments: PushType.allCases)
  func `every push type of Apple is known`(type: PushType) {
    let request = TestRequest(authorization: nil).with("apns-push-type", type.rawValue).with("apns-priority", "5")
    #expect(HeaderRules.check(request.request) == .success(type))
  }

  @Test func `a push type may be missing but not unknown`() {
    #expect(HeaderRules.check(TestRequest(authorization: nil).with("apns-push-type", nil).request) == .success(nil))
    #expect(reason("apns-push-type", "Alert") == .invalidPushType)
    #expect(reason("apns-push-type", "") == .invalidPushType)
    #expect(reason("apns-push-type", "alerts") == .invalidPushType)
  }
}
