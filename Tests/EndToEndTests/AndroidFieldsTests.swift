import Foundation
import Operations
import TLS
import TestSupport
import TestTier
import Testing

@testable import Server

/// What an app and a message say to Android, from the admin API to an HTTP/2 server in Firebase's place that is not ours.
@Suite(.slow, .serialized) struct AndroidFieldsTests {
  private let other: OtherHTTP2Server
  private let world: World

  init() throws {
    let authority = try CertificateAuthority()
    let other = try OtherHTTP2Server(pem: try authority.issueServer().pem)
    let port = try other.port()
    world = try World(server: { configuration in
      configuration.fcm = try Configuration.service("test", "https://127.0.0.1:\(port)")
      let file = try #require(configuration.caFile)
      TemporaryDirectory.write(file, (TemporaryDirectory.read(file) ?? "") + authority.certificatePEM)
    })
    self.other = other
    var settings = Administration.FCMSettings()
    settings.style = "notification"
    try world.useServiceAccount(settings)
  }

  @discardableResult
  private func register() throws -> Reply {
    try world.client.call(
      "POST", "/v1/devices", bearer: world.clientKey,
      #"{"appId":"\#(World.appID)","pnsId":"FCM","psid":"f1:APA91b1","deviceId":"d1","clientUid":"kim"}"#)
  }

  private func lastMessage() throws -> [String: Any] {
    let request = try JSONSerialization.jsonObject(with: Data(try #require(other.requests.last).utf8)) as? [String: Any]
    let body = try #require(request?["body"] as? [String: Any])
    return try #require(body["message"] as? [String: Any])
  }

  private func expect(
    _ message: [String: Any], _ expected: [String: String], priority: String, label: String,
    _ place: SourceLocation = #_sourceLocation
  ) throws {
    let android = try #require(message["android"] as? [String: Any])
    let shown = try #require(android["notification"] as? [String: Any])
    for (name, value) in expected { #expect(shown[name] as? String == value, "\(name)", sourceLocation: place) }
    #expect(android["priority"] as? String == priority, sourceLocation: place)
    #expect((message["fcm_options"] as? [String: Any])?["analytics_label"] as? String == label, sourceLocation: place)
  }

  @Test func `each default of an app leaves where a message says nothing, and yields where it speaks`() throws {
    try register()
    let changed = try world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: world.apiKey,
      ##"""
      {"android":{"channelId":"bank","icon":"ic_bank","color":"#112233","clickAction":"OPEN_BANK",
        "image":"https://img.example.com/bank.png","priority":"normal","tag":"bank","analyticsLabel":"usual"}}
      """##)
    #expect(changed.status == 200, "\(changed.text)")
    #expect(try world.finished(try world.send(#"{"all":true}"#)).int("accepted") == 1)
    var expected = [
      "channel_id": "bank", "icon": "ic_bank", "color": "#112233", "click_action": "OPEN_BANK",
      "image": "https://img.example.com/bank.png", "tag": "bank", "title": "T", "body": "B",
    ]
    try expect(try lastMessage(), expected, priority: "normal", label: "usual")

    let own = ##","android":{"channelId":"loans","color":"#445566","priority":"high","analyticsLabel":"spring"}"##
    #expect(try world.finished(try world.send(#"{"all":true}"#, own)).int("accepted") == 1)
    expected.merge(["channel_id": "loans", "color": "#445566"]) { $1 }
    try expect(try lastMessage(), expected, priority: "high", label: "spring")
  }

  @Test func `a Live Activity leaves with its token beside the registration`() throws {
    let device = try register()
    try world.addActivity("order-42", token: World.token("e1"), of: device)
    #expect(try world.sendActivity("update", 7, to: "order-42").int("accepted") == 1)
    let message = try lastMessage()
    #expect(message["token"] as? String == "f1:APA91b1")
    let apns = try #require(message["apns"] as? [String: Any])
    #expect(apns["live_activity_token"] as? String == World.token("e1"))
    let aps = (apns["payload"] as? [String: Any])?["aps"] as? [String: Any]
    #expect((aps?["content-state"] as? [String: Any])?["n"] as? Int == 7)
  }
}
