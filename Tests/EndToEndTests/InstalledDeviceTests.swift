import Domain
import Foundation
import Operations
import TestTier
import Testing

@testable import Server

/// Devices that another push server's file has brought, and that call by themselves later.
@Suite(.slow, .serialized) struct InstalledDeviceTests {
  private static let token = World.token("a1")
  private static let phone = [
    "DEVICE_TYPE": "I", "DEVICE_MD": "iPhone15,2", "OS_VER": "17.4", "APP_VER": "3.2.1", "APNS_MODE": "REAL",
  ]

  private func bring(_ world: World, _ lines: String, vouched: Bool = false) throws -> InstalledBase.Report {
    var options = InstalledBase.Options(appID: World.appID)
    options.isVouched = vouched
    let text = "PSID,PNSID,DEVICE_ID,APNS_MODE,CUID,CNAME,GROUPSEQ\n" + lines
    var base = try InstalledBase(
      ByteSource(Array(text.utf8)), options, phones: nil, by: .commandLine, on: world.connection)
    while let faults = try base.next() { #expect(faults == []) }
    return base.report
  }

  private func group(_ world: World) throws -> String {
    let made = try world.client.call(
      "POST", "/v1/admin/groups", bearer: world.apiKey, #"{"appId":"\#(World.appID)","name":"news"}"#)
    return try #require(made.string("groupSeq"))
  }

  /// It gets a message as user, and as member of the group, once each.
  private func reaches(_ world: World, _ group: String) throws {
    for audience in [#"{"clientUids":["kim"]}"#, #"{"groups":["\#(group)"]}"#, #"{"all":true}"#] {
      #expect(try world.finished(try world.send(audience)).int("accepted") == 1, "\(audience)")
    }
    #expect(try world.count("SELECT count(*) FROM devices") == 1)
    #expect(try world.count("SELECT count(*) FROM psids") == 1)
  }

  @Test func `it gets messages at once, and its receipts count`() throws {
    let world = try World()
    let group = try group(world)
    #expect(try bring(world, "\(Self.token.uppercased()),APNS,DEVICE-1,REAL,kim,Kim,\(group)\n").new == 1)
    try reaches(world, group)
    let shown = try world.client.call(
      "GET", "/v1/admin/devices?appId=\(World.appID)&clientUid=kim", bearer: world.apiKey)
    #expect(shown.status == 200 && shown.text.contains(#""registeredAt":null"#), "\(shown.text)")
    let mps = try #require(try world.payloads(Self.token).first?["mps"] as? [String: String])
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "DEVICE-1", cuid: "kim")
    let seqno = try #require(mps["seqno"])
    #expect(try app.call("rcv_register_sent_ack.ctl", ["SEQNO": seqno, "STATUS_KIND": "2", "DB_IN": "Y"]).isOK)
    #expect(try world.funnel(seqno).int("received") == 1)
  }

  @Test func `an app built with the existing SDK finds itself registered, registers again, and is the same device`()
    throws
  {
    let world = try World()
    let group = try group(world)
    _ = try bring(world, "\(Self.token),APNS,DEVICE-1,REAL,kim,Kim,\(group)\n")
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "DEVICE-1", cuid: "kim")
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")
    for controller in ["rcv_register_service.ctl", "new_rcv_register_service_and_user.ctl"] {
      let answer = try app.call(controller, Self.phone)
      #expect(answer.isOK, "\(controller) \(answer)")
      try reaches(world, group)
    }
    #expect(try world.count("SELECT count(*) FROM devices WHERE model = 'iPhone15,2' AND user_key = 'ukim'") == 1)
    // From now on the device's word counts.
    let again = try bring(world, "\(Self.token),APNS,DEVICE-1,REAL,lee,Lee,\n")
    #expect(again.kept == 1 && again.changed == 0)
    #expect(try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String == "Y")
  }

  @Test func `a client that sends no DEVICE_ID is known by its token`() throws {
    let world = try World()
    let group = try group(world)
    _ = try bring(world, "\(Self.token),APNS,,REAL,kim,Kim,\(group)\n")
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", Self.phone).isOK)
    try reaches(world, group)
  }

  @Test func `an app of the API is the same device, with a user or without`() throws {
    let world = try World()
    let group = try group(world)
    _ = try bring(world, "\(Self.token),APNS,phone,REAL,kim,Kim,\(group)\n")
    for user in ["", #","clientUid":"kim""#] {
      let answer = try world.client.call(
        "POST", "/v1/devices", bearer: world.clientKey,
        #"{"appId":"\#(World.appID)","pnsId":"APNS","environment":"production","psid":"\#(Self.token)","deviceId":"phone"\#(user)}"#
      )
      #expect(answer.status == 200, "\(answer.text)")
      #expect((answer["user"] as? [String: Any])?["clientUid"] as? String == "kim", "\(answer.text)")
      try reaches(world, group)
    }
  }

  @Test(arguments: [false, true])
  func `where users are vouched for, confidential messages need the operator's word or the device's proof`(
    vouched: Bool
  ) throws {
    let world = try World(identity: .proof)
    _ = try bring(world, "\(Self.token),APNS,phone,REAL,kim,Kim,\n", vouched: vouched)
    #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    let secret = try world.send(#"{"clientUids":["kim"]}"#, #","confidential":true"#)
    #expect(try world.finished(secret).int("accepted") == (vouched ? 1 : 0))
    // The SDK without a proof keeps the user that it has; it is not worth more than it was.
    let app = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "phone", cuid: "kim")
    #expect(try app.call("new_rcv_register_service_and_user.ctl", Self.phone).isOK)
    #expect(
      try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' AND identity = \(vouched ? 1 : 0)") == 1)
    #expect(try world.count("SELECT count(*) FROM devices") == 1)
  }
}
