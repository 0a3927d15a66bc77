import Crypto
import Domain
import Foundation
import PushTransport
import TestSupport
import Testing

@testable import FCM
@testable import Simulator

/// What a message of every content looks like on its way to FCM.
@Suite struct ComposerTests {
  private static let now: Int64 = 1_800_000_000

  /// The `message` object, or why FCM would not take it.
  private static func compose(
    _ content: String, style: FCMStyle = FCMStyle(), lane: Lane = .normal, name: String = "", language: Int = 0,
    psid: String = "f:token", further: FurtherTarget? = nil, keptFor seconds: Int64? = nil
  ) throws -> (message: [String: Any], refusal: String?) {
    let request = try MessageRequest(
      json: Array(#"{"appId":"com.example.app","audience":{"all":true},\#(content)}"#.utf8))
    let message = PushMessage(
      seqno: 42, headers: PushHeaders(request, appID: "com.example.app", seqno: 42),
      template: PayloadTemplate(request, seqno: 42, sendDate: "2026010100"),
      pushkeys: PushKeyring(present: SymmetricKey.random()), lane: lane, expiresAtSeconds: now + 600,
      keptUntilSeconds: seconds.map { now + $0 }, onUnknown: .resend)
    let target = PushTarget(
      device: DeviceID(high: 1, low: 2), userKey: UserKey(clientUID: "kim01"), psid: psid, badge: 3,
      clientName: name, language: language, further: further)
    var letter = EncodedPush()
    let composer = Composer(project: "p", style: style, validatesOnly: false)
    if let refusal = composer.compose(target, of: message, now: now, into: &letter) { return ([:], refusal) }
    let body = try JSONSerialization.jsonObject(with: Data(letter.body)) as? [String: Any]
    return (try #require(body?["message"] as? [String: Any]), nil)
  }

  private static func android(_ message: [String: Any]) throws -> [String: Any] {
    try #require(message["android"] as? [String: Any])
  }

  /// What the SDK reads: a JSON text within the data.
  private static func payload(_ message: [String: Any]) throws -> [String: Any] {
    let data = try #require(try android(message)["data"] as? [String: Any])
    let text = try #require(data["message"] as? String)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `the text in the recipient's language and with its name stands in the data and in the apns block`() throws
  {
    let content = #""alert":"Hello %CNAME%","translations":{"ko":"%CNAME%님 안녕하세요"}"#
    let (message, _) = try Self.compose(content, name: "김\"철수", language: 1)
    let aps = try #require(try Self.payload(message)["aps"] as? [String: Any])
    #expect(aps["alert"] as? String == "김\"철수님 안녕하세요")
    let apns = try #require((message["apns"] as? [String: Any])?["payload"] as? [String: Any])
    #expect((apns["aps"] as? [String: Any])?["alert"] as? String == "김\"철수님 안녕하세요")
  }

  @Test(arguments: [
    (#""alert":"x""#, Lane.normal, "high", "alert", "10"),
    (#""alert":"x""#, Lane.bulk, "normal", "alert", "10"),
    (#""alert":"x","priority":5"#, Lane.urgent, "normal", "alert", "5"),
    (#""contentAvailable":true"#, Lane.urgent, "normal", "background", "5"),
  ]) func `how soon follows the lane and the message's priority`(
    _ content: String, _ lane: Lane, _ priority: String, _ type: String, _ apple: String
  ) throws {
    let (message, _) = try Self.compose(content, lane: lane)
    #expect(try Self.android(message)["priority"] as? String == priority)
    let headers = try #require((message["apns"] as? [String: Any])?["headers"] as? [String: Any])
    #expect(headers["apns-push-type"] as? String == type && headers["apns-priority"] as? String == apple)
  }

  @Test func `an ad is kept until the night begins, not until it expires`() throws {
    let (message, _) = try Self.compose(#""alert":"x""#, keptFor: 60)
    #expect(try Self.android(message)["ttl"] as? String == "60s")
    let headers = (message["apns"] as? [String: Any])?["headers"] as? [String: Any]
    #expect(headers?["apns-expiration"] as? String == String(Self.now + 60))
  }

  @Test func `what is not kept for a device that is away lives no second`() throws {
    let (kept, _) = try Self.compose(#""alert":"x""#)
    #expect(try Self.android(kept)["ttl"] as? String == "600s")
    let (gone, _) = try Self.compose(#""alert":"x","keepForDevice":false"#)
    #expect(try Self.android(gone)["ttl"] as? String == "0s")
    let headers = (gone["apns"] as? [String: Any])?["headers"] as? [String: Any]
    #expect(headers?["apns-expiration"] as? String == "0")
  }

  @Test func `only a collapse id of the message's own becomes a collapse key`() throws {
    let (plain, _) = try Self.compose(#""alert":"x""#)
    #expect(try Self.android(plain)["collapse_key"] == nil)
    let (named, _) = try Self.compose(#""alert":"x","collapseId":"score""#)
    #expect(try Self.android(named)["collapse_key"] as? String == "score")
  }

  @Test func `a notification has localized keys, the picture and the count`() throws {
    let content = """
      "alert":{"titleLocKey":"T","titleLocArgs":["a"],"locKey":"B","locArgs":["b","c"]},\
      "sound":{"name":"siren","critical":true},"badge":{"increment":1},"mediaUrl":"https://example.com/a.png?x=1"
      """
    let (message, _) = try Self.compose(content, style: FCMStyle(content: .notification))
    let shown = try #require(try Self.android(message)["notification"] as? [String: Any])
    #expect(shown["title_loc_key"] as? String == "T" && shown["title_loc_args"] as? [String] == ["a"])
    #expect(shown["body_loc_key"] as? String == "B" && shown["body_loc_args"] as? [String] == ["b", "c"])
    #expect(shown["sound"] as? String == "siren" && shown["notification_count"] as? Int == 3)
    #expect(shown["image"] as? String == "https://example.com/a.png?x=1" && shown["tag"] as? String == "42")
  }

  @Test func `a notification that does not fit beside the data stays away, and the data goes`() throws {
    let text = String(repeating: "x", count: 3_000)
    let (message, refusal) = try Self.compose(#""alert":"\#(text)""#, style: FCMStyle(content: .notification))
    #expect(refusal == nil)
    #expect(try Self.android(message)["notification"] == nil)
    #expect(try Self.payload(message)["aps"] != nil)
  }

  private static let android = """
    "android":{"channelId":"loans","icon":"ic_bank","color":"#1A73E8","clickAction":"OPEN_LOAN",\
    "image":"https://example.com/b.png","priority":"normal","tag":"loan-7","analyticsLabel":"spring~2026"}
    """

  @Test func `everything that a message says to Android leaves in FCM's words`() throws {
    let content = #""alert":"x","mediaUrl":"https://example.com/a.png",\#(Self.android)"#
    let (message, _) = try Self.compose(content, style: FCMStyle(content: .notification), lane: .urgent)
    let shown = try #require(try Self.android(message)["notification"] as? [String: Any])
    #expect(shown["channel_id"] as? String == "loans" && shown["icon"] as? String == "ic_bank")
    #expect(shown["color"] as? String == "#1A73E8" && shown["click_action"] as? String == "OPEN_LOAN")
    #expect(shown["image"] as? String == "https://example.com/b.png" && shown["tag"] as? String == "loan-7")
    #expect(try Self.android(message)["priority"] as? String == "normal")
    #expect((message["fcm_options"] as? [String: Any])?["analytics_label"] as? String == "spring~2026")
    let body = try JSONSerialization.data(withJSONObject: ["message": message])
    let taken = try FCMMessage.judge(Array(body)).get()
    #expect(taken.analyticsLabel == "spring~2026" && taken.androidNotification?["channel_id"]?.string == "loans")
  }

  @Test func `where the app shows messages itself, only priority and label leave`() throws {
    let (message, _) = try Self.compose(#""alert":"x",\#(Self.android)"#, lane: .urgent)
    let android = try Self.android(message)
    #expect(android["notification"] == nil && android["priority"] as? String == "normal")
    #expect((message["fcm_options"] as? [String: Any])?["analytics_label"] as? String == "spring~2026")
  }

  @Test func `a Live Activity on an iOS device is reached by its own token beside the registration`() throws {
    let content = #""liveActivity":{"event":"update","timestamp":1,"contentState":{"n":1}},"priority":5"#
    let (message, refusal) = try Self.compose(
      content, psid: "aabb", further: FurtherTarget(registration: "f:token", rest: 0, done: FurtherTokensDone()))
    #expect(refusal == nil && message["token"] as? String == "f:token" && message["android"] == nil)
    let apns = try #require(message["apns"] as? [String: Any])
    #expect(apns["live_activity_token"] as? String == "aabb")
    let headers = try #require(apns["headers"] as? [String: Any])
    #expect(headers["apns-priority"] as? String == "5" && headers["apns-push-type"] as? String == "liveactivity")
    let aps = try #require((apns["payload"] as? [String: Any])?["aps"] as? [String: Any])
    #expect(aps["event"] as? String == "update" && (aps["content-state"] as? [String: Any])?["n"] as? Int == 1)
    let taken = try FCMMessage.judge(Array(try JSONSerialization.data(withJSONObject: ["message": message]))).get()
    #expect(taken.liveActivityToken == "aabb")
    let (_, alone) = try Self.compose(content, style: FCMStyle(platforms: .android))
    #expect(alone == "UnsupportedPushType")
  }

  @Test func `a push type that only Apple has is refused by name`() throws {
    let (_, refusal) = try Self.compose(#""pushType":"voip","data":{"call":1}"#)
    #expect(refusal == "UnsupportedPushType")
  }
}
