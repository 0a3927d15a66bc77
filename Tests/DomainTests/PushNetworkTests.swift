import Testing

@testable import Domain

@Suite struct PushNetworkTests {
  @Test(arguments: [("ABcdef01", "abcdef01"), ("00", "00")]) func `APNs tokens are hex, lowered`(
    psid: String, stored: String
  ) {
    #expect(PushNetwork.apns.normalize(psid: psid) == stored)
  }

  @Test(arguments: ["", "abc", "xy", "ab cd", "ab\n", "é"]) func `other texts are no APNs tokens`(psid: String) {
    #expect(PushNetwork.apns.normalize(psid: psid) == nil)
  }

  @Test func `FCM tokens are visible ASCII, as they stand`() {
    #expect(PushNetwork.fcm.normalize(psid: "dGVz:APA91b-_x") == "dGVz:APA91b-_x")
    for psid in ["", "a b", "a\u{7f}", "é"] { #expect(PushNetwork.fcm.normalize(psid: psid) == nil) }
  }

  @Test func `512 bytes are a token, more are not`() {
    #expect(PushNetwork.apns.normalize(psid: String(repeating: "ab", count: 256)) != nil)
    #expect(PushNetwork.apns.normalize(psid: String(repeating: "ab", count: 257)) == nil)
    #expect(PushNetwork.fcm.normalize(psid: String(repeating: "x", count: 512)) != nil)
    #expect(PushNetwork.fcm.normalize(psid: String(repeating: "x", count: 513)) == nil)
  }

  @Test func `names on the wire lead back`() {
    for network in PushNetwork.allCases { #expect(PushNetwork(pnsID: network.pnsID) == network) }
    for environment in PushEnvironment.allCases { #expect(PushEnvironment(name: environment.name) == environment) }
    #expect(PushNetwork(pnsID: "UPNS") == nil)
    #expect(PushEnvironment(name: "DEV") == nil)
  }
}
