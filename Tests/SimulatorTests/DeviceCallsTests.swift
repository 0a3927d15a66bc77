import Testing
import UPMCClient

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

  /// Virtual devices read a million payloads a minute, so they parse only what they need.
  @Test(arguments: [
    payload, #"{"aps":{"alert":{"title":"T"},"mutable-content":1},"mps":{"seqno":"1","pushkey":"ab"}}"#,
    #"{"aps":{"alert":"x","mutable-content":0},"mps":{"seqno":"1","pushkey":"ab","ext":"{\"pushkey\":\"no\"}"}}"#,
    #"{"aps":{"content-available":1},"mps":{"pushkey":"ab","seqno":"9223372036854775807"}}"#,
    #"{"mps":{"seqno":"1","pushkey":"ab"}}"#,
    #"{"aps":{"mutable-content":1,"badge":3},"mps":{"seqno":"7","pushkey":"ab"}}"#,
  ])
  func `a payload is read as the client reads it`(text: String) throws {
    let ours = try #require(PushPayload(Array(text.utf8)))
    let client = try ReceivedPayload(json: Array(text.utf8))
    #expect(ours.seqno == client.seqno && ours.pushkey == client.pushkey)
    #expect(ours.isShown == !client.isSilent && ours.startsExtension == client.startsExtension)
  }

  private func text(_ request: WireRequest) -> String { String(decoding: request.body ?? [], as: UTF8.self) }

  @Test func `a registration names app, token, device and user`() throws {
    let request = DeviceCalls.registration(3, plan)
    #expect(request.path == "/v1/devices" && request.bearer == "k")
    for part in [
      #""appId":"com.example.app""#, #""pnsId":"APNS""#, #""environment":"production""#,
      #""psid":"\#(plan.token(of: 3))""#, #""clientUid":"user1""#,
    ] {
      #expect(text(request).contains(part))
    }
    var guests = plan
    guests.users = 0
    #expect(!text(DeviceCalls.registration(3, guests)).contains("clientUid"))
  }

  @Test func `a batch of confirmations is one call`() throws {
    let payload = try #require(PushPayload(Array(Self.payload.utf8)))
    let batch = [0, 1].map { DeviceCalls.Waiting(device: $0, payload: payload) }
    let receipts = ConfirmationCall.request(DeviceCalls.confirmations(batch, .receipt, plan), .receipt, to: plan.server)
    let tokens = (0...1).map { plan.token(of: $0).description }
    #expect(
      text(receipts) == #"{"receipts":[{"seqno":"104","psid":"\#(tokens[0])","pushkey":"2a4d"},"#
        + #"{"seqno":"104","psid":"\#(tokens[1])","pushkey":"2a4d"}]}"#)
    var badged = plan
    badged.badgeOption = "update"
    badged.badge = 7
    let reads = ConfirmationCall.request(DeviceCalls.confirmations([batch[0]], .read, badged), .read, to: plan.server)
    #expect(
      text(reads)
        == #"{"reads":[{"seqno":"104","psid":"\#(tokens[0])","pushkey":"2a4d","badgeOption":"update","badge":7}]}"#)
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
