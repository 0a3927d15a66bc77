import Foundation
import Postgres
import Testing

/// What phones say about their time zone, which is anything.
@Suite struct DeviceTimeZoneTests {
  /// As it is kept, of one registration after the other.
  private func kept(_ world: World, _ zone: String) throws -> String {
    let body: [String: Any] = [
      "appId": World.appID, "pnsId": "APNS", "environment": "production", "psid": World.token("a1"), "deviceId": "d1",
      "timeZone": zone,
    ]
    let json = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    let reply = try world.client.call("POST", "/v1/devices", bearer: world.clientKey, json)
    #expect([200, 201].contains(reply.status), "\(zone): \(reply.text)")
    return try world.connection.run(Statement("zone", "SELECT time_zone FROM devices")).text(0, 0)
  }

  @Test func `a zone without a name registers as none, and never as an error`() throws {
    let world = try World()
    #expect(try kept(world, "Europe/Berlin") == "Europe/Berlin")
    for zone in ["", "A+1:02:03", "<UTC>5", "Middle/Earth", "asia/seoul", String(repeating: "Z", count: 5_000)] {
      #expect(try kept(world, zone) == "", "\(zone)")
    }
    #expect(try kept(world, "Asia/Seoul") == "Asia/Seoul")
  }
}
