import Testing

@testable import Simulator

@Suite struct `Device calls` {
  private static let payload =
    #"{"aps":{"alert":"\"pushkey\":\"no\""},"mps":{"appid":"a","seqno":"104","pushkey":"2a4d"},"pushkey":"no"}"#

  private var plan: VirtualDevices.Plan {
    VirtualDevices.Plan(count: 4, server: "http://127.0.0.1:1", appID: "com.example.app", clientKey: "k", users: 2)
  }

  @Test func `seqno and pushkey are read from mps alone`() throws {
    let payload = try #require(PushPayload(Array(Self.payload.utf8)))
    #expect(payload.seqno == "104")
    #expect(payload.pushkey == "2a4d")
  }

  @Test(arguments: [
    "", "x", "{}", #"{"mps":"x"}"#, #"{"mps":{}}"#, #"{"mps":{"seqno":104,"pushkey":"2a"}}"#,
    #"{"aps":{"badge":3}}"#, #"{"pushkey":"2a","seqno":"1"}"#,
  ])
  func `a payload without them cannot be confirmed`(text: String) {
    #expect(PushPayload(Array(text.utf8)) == nil)
  }

  @Test func `a registration names app, token, device and user`() throws {
    let body = String(decoding: DeviceCalls.registration(3, plan), as: UTF8.self)
    #expect(body.contains(#""appId":"com.example.app","pnsId":"APNS","environment":"production""#))
    #expect(body.contains(#""psid":"\#(plan.token(of: 3))""#))
    #expect(body.contains(#""clientUid":"user1""#))
    var guests = plan
    guests.users = 0
    #expect(!String(decoding: DeviceCalls.registration(3, guests), as: UTF8.self).contains("clientUid"))
  }

  @Test func `a batch of confirmations is one call`() throws {
    let payload = try #require(PushPayload(Array(Self.payload.utf8)))
    let batch = [0, 1].map { DeviceCalls.Confirmation(device: $0, payload: payload) }
    let receipts = String(decoding: DeviceCalls.receipts(batch, plan), as: UTF8.self)
    let tokens = (0...1).map { plan.token(of: $0).description }
    #expect(
      receipts == #"{"receipts":[{"seqno":"104","psid":"\#(tokens[0])","pushkey":"2a4d"},"#
        + #"{"seqno":"104","psid":"\#(tokens[1])","pushkey":"2a4d"}]}"#)
    var badged = plan
    badged.badgeOption = "update"
    badged.badge = 7
    let reads = String(decoding: DeviceCalls.reads([batch[0]], badged), as: UTF8.self)
    #expect(
      reads == #"{"reads":[{"seqno":"104","psid":"\#(tokens[0])","pushkey":"2a4d","badgeOption":"update","badge":7}]}"#)
  }

  @Test func `the answer's statuses are read in order`() {
    let answer = #"{"results":[{"seqno":"1","status":"recorded"},{"status":"unknown-message","badge":3}]}"#
    #expect(DeviceCalls.statuses(in: Array(answer.utf8)) == ["recorded", "unknown-message"])
    #expect(DeviceCalls.statuses(in: Array(#"{"results":[]}"#.utf8)) == [])
    #expect(DeviceCalls.statuses(in: Array(#"{"results":[{"status":"recorded"}"#.utf8)) == nil)
    #expect(DeviceCalls.statuses(in: Array(#"{"title":"no"}"#.utf8)) == nil)
  }

  @Test func `a registration's answer must have device and authKey`() {
    #expect(DeviceCalls.isRegistration(Array(#"{"device":"d","authKey":"k","badge":0,"user":null}"#.utf8)))
    #expect(!DeviceCalls.isRegistration(Array(#"{"device":"d","authKey":""}"#.utf8)))
    #expect(!DeviceCalls.isRegistration(Array(#"{"device":"d"}"#.utf8)))
    #expect(!DeviceCalls.isRegistration(Array("ok".utf8)))
  }

  @Test func `tokens derive from the seed, differ, and never ask for a fault`() {
    let tokens = Set((0..<10_000).map { plan.token(of: $0) })
    #expect(tokens.count == 10_000)
    #expect(tokens.allSatisfy { FaultPrefix.effect(of: $0) == nil && $0.description.count == 64 })
    #expect(plan.token(of: 5) == plan.token(of: 5))
    var other = plan
    other.seed = 2
    #expect(other.token(of: 5) != plan.token(of: 5))
  }
}
