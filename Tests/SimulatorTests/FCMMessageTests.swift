import Testing

@testable import Simulator

/// FCM's judgement of a message: what passes, and Google's words for what does not.
@Suite struct FCMMessageTests {
  private static let token = "fabc:APA91bexample"

  private func judge(_ message: String) -> Result<FCMMessage, FCMError> {
    FCMMessage.judge(Array(#"{"message":\#(message)}"#.utf8))
  }

  private func message(_ members: String) -> String { #"{"token":"\#(Self.token)",\#(members)}"# }

  private func complaint(_ message: String) -> String? {
    if case .failure(let error) = judge(message) { error.message } else { nil }
  }

  private func violations(_ message: String) -> [FCMError.Violation] {
    guard case .failure(let error) = judge(message) else { return [] }
    var violations: [FCMError.Violation] = []
    for case .badRequest(let found) in error.details { violations += found }
    return violations
  }

  @Test func `both spellings of protobuf's JSON are read`() throws {
    let snake = try judge(message(#""android":{"collapse_key":"k","direct_boot_ok":true,"ttl":"3.5s"}"#)).get()
    let camel = try judge(message(#""android":{"collapseKey":"k","directBootOk":true,"ttl":"3.5s"}"#)).get()
    #expect(snake == camel && snake.collapseKey == "k" && snake.ttlSeconds == 3)
  }

  @Test func `unknown names are refused with their place`() {
    #expect(
      violations(message(#""notification":{"clickAction":"x"}"#)) == [
        .init(
          "message.notification",
          #"Invalid JSON payload received. Unknown name "clickAction" at 'message.notification': Cannot find field."#)
      ])
    #expect(complaint(message(#""badge":1"#))?.contains(#"Unknown name "badge" at 'message'"#) == true)
  }

  @Test func `data must be texts`() {
    #expect(
      violations(message(#""data":{"a":12}"#)) == [
        .init("message.data[0].value", "Invalid value at 'message.data[0].value' (TYPE_STRING), 12")
      ])
    #expect(complaint(message(#""data":{"a":"b","c":{"d":"e"}}"#))?.contains("message.data[1].value") == true)
  }

  @Test(arguments: ["from", "message_type", "google.x", "gcm.y", "googlefoo"])
  func `reserved data keys are refused`(_ key: String) {
    #expect(complaint(message(#""data":{"\#(key)":"x"}"#)) == "Invalid data payload key: \(key)")
    #expect(complaint(message(#""android":{"data":{"\#(key)":"x"}}"#)) == "Invalid data payload key: \(key)")
  }

  @Test func `exactly one target`() {
    #expect(complaint(#"{"data":{"a":"b"}}"#) == "Recipient of the message is not set.")
    #expect(
      complaint(message(#""topic":"news""#))
        == "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'")
    #expect(complaint(#"{"token":"no colon"}"#) == "The registration token is not a valid FCM registration token")
    #expect(complaint(#"{"fid":"short"}"#) == "Invalid Firebase installation ID")
    #expect(complaint(#"{"fid":"cAbcdefghijklmnopqrst_"}"#) == nil)
    #expect(complaint(#"{"topic":"/topics/news"}"#) == "Invalid topic name.")
    #expect(complaint(#"{"topic":"news"}"#) == nil)
    #expect(complaint(#"{"condition":"'a' in topics && 'b' in topics"}"#) == nil)
    #expect(complaint(#"{"condition":"everyone"}"#) == "Invalid condition expression provided.")
  }

  @Test(arguments: [("0s", 0), ("2419200s", 2_419_200), ("3.999999999s", 3)])
  func `times to live in range`(_ text: String, _ seconds: Int64) throws {
    #expect(try judge(message(#""android":{"ttl":"\#(text)"}"#)).get().ttlSeconds == seconds)
  }

  @Test(arguments: ["\"2419201s\"", "\"-1s\"", "\"60\"", "\"1m\"", "\"1.s\"", "60", "\"1.0000000001s\""])
  func `times to live out of range or form`(_ json: String) {
    #expect(violations(message(#""android":{"ttl":\#(json)}"#)).map(\.field) == ["message.android.ttl"])
  }

  @Test func `words are checked, in any case`() throws {
    #expect(try judge(message(#""android":{"priority":"high"}"#)).get().isHighPriority)
    #expect(try judge(message(#""android":{"priority":"HIGH"}"#)).get().isHighPriority)
    #expect(
      complaint(message(#""android":{"priority":"urgent"}"#))
        == #"Invalid value at 'message.android.priority' (type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), "urgent""#
    )
    #expect(complaint(message(#""android":{"notification":{"color":"red"}}"#))?.contains("#RRGGBB") == true)
    #expect(complaint(message(#""fcm_options":{"analytics_label":"a b"}"#)) == "Invalid analytics label")
  }

  @Test func `a Live Activity needs Apple's token, an event, and one device`() throws {
    let payload = #""payload":{"aps":{"event":"update","timestamp":1}}"#
    func apns(_ token: String, _ payload: String = payload) -> String {
      #""apns":{"live_activity_token":"\#(token)",\#(payload)}"#
    }
    #expect(try judge(message(apns("aaBB"))).get().liveActivityToken == "aaBB")
    for token in ["", "abc", "xy"] { #expect(complaint(message(apns(token))) == "Invalid Live Activity token") }
    #expect(complaint(#"{"topic":"news",\#(apns("aa"))}"#) == "Invalid Live Activity token")
    #expect(complaint(message(apns("aa", #""payload":{"aps":{}}"#))) == "Invalid Live Activity payload")
  }

  @Test func `4,096 bytes of data fit and one more does not`() {
    let room = String(repeating: "x", count: 4096 - 4)
    #expect(complaint(message(#""data":{"text":"\#(room)"}"#)) == nil)
    #expect(complaint(message(#""data":{"text":"\#(room)x"}"#)) == "Android message is too big")
    #expect(complaint(#"{"topic":"news","data":{"text":"\#(room.prefix(2044))"}}"#) == nil)
    #expect(complaint(#"{"topic":"news","data":{"text":"\#(room.prefix(2045))"}}"#) == "Android message is too big")
  }

  @Test func `what Apple would not take is refused`() {
    let text = String(repeating: "x", count: 4096)
    #expect(complaint(message(#""apns":{"payload":{"aps":{"alert":"\#(text)"}}}"#)) == "APNs payload is too big")
    #expect(complaint(message(#""apns":{"headers":{"apns-priority":5}}"#))?.contains("TYPE_STRING") == true)
    #expect(complaint(message(#""apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{}}}"#)) == nil)
  }

  @Test func `data goes along to Apple beside aps`() throws {
    let taken = try judge(message(#""data":{"k":"v"},"apns":{"payload":{"aps":{"badge":1}}}"#)).get()
    #expect(String(decoding: taken.apnsPayload ?? [], as: UTF8.self) == #"{"aps":{"badge":1},"k":"v"}"#)
  }

  @Test(arguments: [
    "", "[]", "{", "{\"message\":null}", "{\"message\":{}}", "{\"massage\":{}}", "{\"validate_only\":1}",
  ])
  func `no message at all`(_ body: String) {
    guard case .failure(let error) = FCMMessage.judge(Array(body.utf8)) else {
      return #expect(Bool(false), "\(body) was taken")
    }
    #expect(error.status == 400)
  }
}
