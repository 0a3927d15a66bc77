import Domain
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher

@Suite struct TokenFindingTests {
  private static let device = DeviceID(high: 1, low: 2)
  private static let registered: Timestamp = 1_800_000_000_000_000

  private func record(psid: String = "aa", state: Devices.State = .active) -> Devices.Record {
    var record = Devices.Record(
      device: Self.device, app: 1, userKey: UserKey(clientUID: "kim"), network: .apns, environment: .production,
      psid: psid, installation: "d1", attributes: Devices.Attributes(), now: Self.registered)
    record.state = state
    return record
  }

  private func change(
    _ kind: TokenFinding.Kind, readAt: Timestamp = registered + .microseconds(1), _ record: Devices.Record
  ) -> TokenFinding.Change? {
    TokenFinding(
      kind: kind, route: PushRoute(app: 1, network: .apns, environment: .production),
      delivery: Confirmations.Delivery(seqno: 7, device: Self.device), psid: "aa", readAt: readAt
    ).change(of: record)
  }

  @Test func `a token is dropped only if it was registered before the network knew it dead`() {
    #expect(change(.dead(since: Self.registered + .microseconds(1)), record()) == .drop)
    #expect(change(.dead(since: Self.registered), record()) == nil, "the same moment counts as later")
    #expect(change(.dead(since: Self.registered - .microseconds(1)), record()) == nil)
  }

  @Test func `a refusal puts aside only what was registered before it was sent to`() {
    let refused = TokenFinding.Kind.refused(reason: "BadDeviceToken")
    #expect(
      change(refused, readAt: Self.registered + .microseconds(1), record()) == .quarantine(reason: "BadDeviceToken"))
    #expect(change(refused, readAt: Self.registered, record()) == .quarantine(reason: "BadDeviceToken"))
    #expect(change(refused, readAt: Self.registered - .microseconds(1), record()) == nil)
  }

  @Test func `an environment is learnt, whenever the token was registered`() {
    #expect(change(.belongs(to: .sandbox), readAt: 0, record()) == .learn(.sandbox))
    #expect(change(.belongs(to: .production), record()) == nil, "known already")
  }

  @Test func `another token, or a device that is gone, is none of its business`() {
    let kinds: [TokenFinding.Kind] = [.dead(since: .max), .refused(reason: "BadDeviceToken"), .belongs(to: .sandbox)]
    for kind in kinds {
      #expect(change(kind, record(psid: "bb")) == nil)
      #expect(change(kind, record(state: .unregistered)) == nil)
      #expect(change(kind, record(state: .tokenRefused)) == nil)
    }
  }
}
