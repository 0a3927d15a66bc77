import Operations
import Reactor
import API
import TestTier
import Testing

@testable import Server

/// Made-up devices, as somebody registers them who has taken the client key out of an app.
@Suite(.slow) struct NewDeviceFloodTests {
  private let world: World

  init() throws {
    world = try World(server: { configuration in
      configuration.listening.trustedProxies = [IPBlock("127.0.0.1")!]
      // Each loop, of which a machine with more cores has more, admits its share.
      configuration.listening.newDevices.perAddress = 3 * HTTPService.loops
      configuration.sdk.requiresKeys = false
    })
  }

  private func register(_ number: Int, from address: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(token(number))","deviceId":"made up \#(number)"}"#,
      headers: [("X-Forwarded-For", address)])
  }

  private func registerBySDK(_ number: Int, from address: String) throws -> Reply {
    try world.client.call(
      "POST", "/rcv_register_service.ctl",
      "APP_ID=\(World.appID)&PNSID=APNS&PSID=\(token(number))&DEVICE_ID=made+up+\(number)",
      type: "application/x-www-form-urlencoded", headers: [("X-Forwarded-For", address)])
  }

  private func token(_ number: Int) -> String { World.token(String(10 + number)) }

  @Test func `an address brings so many new devices an hour, and the known ones go on`() throws {
    for number in 0..<3 { #expect(try register(number, from: "203.0.113.7").status == 201) }
    let refused = try register(3, from: "203.0.113.7")
    #expect(refused.status == 429, "\(refused.text)")
    #expect(refused.string("type") == "upmc:too-many-requests")
    #expect(try register(0, from: "203.0.113.7").status == 200)
    #expect(try register(3, from: "203.0.113.8").status == 201)
  }

  @Test func `all of a client's IPv6 addresses are one`() throws {
    for number in 0..<3 { #expect(try register(number, from: "2001:db8:0:7::\(number + 1)").status == 201) }
    #expect(try register(3, from: "2001:db8:0:7:ffff::9").status == 429)
    #expect(try register(3, from: "2001:db8:0:8::1").status == 201)
  }

  @Test func `the SDK's API counts with it`() throws {
    for number in 0..<2 { #expect(try register(number, from: "203.0.113.7").status == 201) }
    #expect(try registerBySDK(2, from: "203.0.113.7").text.contains(#""RESULT_CODE":"0000""#))
    let refused = try registerBySDK(3, from: "203.0.113.7")
    #expect(refused.text.contains(#""RESULT_CODE":"42900""#), "\(refused.text)")
    #expect(try registerBySDK(2, from: "203.0.113.7").text.contains(#""RESULT_CODE":"0000""#))
  }

  @Test func `whoever has no limits of an address has none here`() throws {
    for number in 0..<5 { #expect(try world.register("mine \(number)", token: token(number), user: nil).status == 201) }
  }
}
