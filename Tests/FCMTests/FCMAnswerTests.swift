import FCM
import Testing

/// The table of errors: what each answer asks of us.
@Suite struct FCMAnswerTests {
  private func answer(_ status: Int, _ canonical: String, _ message: String, _ details: String = "") -> FCMAnswer {
    let json =
      #"{"error":{"code":\#(status),"message":"\#(message)","status":"\#(canonical)","details":[\#(details)]}}"#
    return FCMAnswer(status: status, body: Array(json.utf8))
  }

  private static func fcm(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
  }

  private static func field(_ name: String) -> String {
    #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(name)","description":"x"}]}"#
  }

  private static func apns(_ status: Int, _ reason: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
  }

  @Test func `FCM's own code decides about a registration`() {
    #expect(answer(404, "NOT_FOUND", "x", Self.fcm("UNREGISTERED")).action == .retireRegistration)
    #expect(answer(403, "PERMISSION_DENIED", "x", Self.fcm("SENDER_ID_MISMATCH")).action == .refuseRegistration)
    let bad = answer(
      400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token",
      Self.fcm("INVALID_ARGUMENT"))
    #expect(bad.action == .refuseRegistration)
  }

  @Test func `a 404 or 403 without a code is about the project and never drops a registration`() {
    #expect(answer(404, "NOT_FOUND", "Requested entity was not found.").action == .pauseApp)
    #expect(answer(403, "PERMISSION_DENIED", "API has not been used").action == .pauseApp)
    #expect(FCMAnswer(status: 404, body: Array("<html>404</html>".utf8)).action == .pauseApp)
  }

  @Test func `an invalid argument is the message's fault unless it names the registration`() {
    #expect(answer(400, "INVALID_ARGUMENT", "x", Self.field("message.data[0].value")).action == .refuseMessage)
    #expect(answer(400, "INVALID_ARGUMENT", "x", Self.field("message.token")).action == .refuseRegistration)
    #expect(answer(400, "INVALID_ARGUMENT", "x", Self.field("message.fid")).action == .refuseRegistration)
    #expect(
      answer(400, "INVALID_ARGUMENT", "Android message is too big", Self.fcm("INVALID_ARGUMENT")).action
        == .refuseMessage)
    #expect(answer(400, "INVALID_ARGUMENT", "Request contains an invalid argument.").action == .refuseMessage)
    // A word that could mean a token, without FCM's code: in doubt the token stays.
    #expect(answer(400, "INVALID_ARGUMENT", "Invalid registration token?").action == .refuseMessage)
  }

  @Test func `Apple's word about a device behind it counts`() {
    let gone = answer(
      400, "INVALID_ARGUMENT", "APNs device token is disabled.",
      Self.fcm("INVALID_ARGUMENT") + "," + Self.apns(410, "Unregistered"))
    #expect(gone.action == .retireRegistration && gone.shownReason == "Unregistered")
    let key = answer(
      401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service",
      Self.fcm("THIRD_PARTY_AUTH_ERROR") + "," + Self.apns(403, "InvalidProviderToken"))
    #expect(key.action == .pauseForApple)
  }

  @Test func `a 401 without a code asks for another access token`() {
    #expect(
      answer(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.").action == .renewAccessToken)
  }

  @Test func `a quota is the project's unless the device is named`() {
    let project = answer(429, "RESOURCE_EXHAUSTED", "x", Self.fcm("QUOTA_EXCEEDED"))
    #expect(project.action == .retryPaced)
    let device = answer(
      429, "RESOURCE_EXHAUSTED", "x",
      Self.fcm("QUOTA_EXCEEDED")
        + #",{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device","description":"y"}]}"#
    )
    #expect(device.action == .retryDevice)
    #expect(FCMAnswer(status: 429, body: []).action == .retryPaced)
  }

  @Test(arguments: [500, 502, 503, 504]) func `trouble at Google's is tried again`(_ status: Int) {
    #expect(FCMAnswer(status: status, body: Array("<html>".utf8), retryAfter: 7).action == .retryLater)
    #expect(answer(status, "UNAVAILABLE", "x", Self.fcm("UNAVAILABLE")).action == .retryLater)
  }

  @Test func `an unknown answer refuses the message and nothing else`() {
    #expect(FCMAnswer(status: 418, body: Array("teapot".utf8)).action == .refuseMessage)
    #expect(FCMAnswer(status: 418, body: []).shownReason == "status 418")
  }

  @Test func `what is shown of Google's words is bounded in bytes, not in what looks like letters`() {
    let family = "👨" + String(repeating: "\u{200D}👨", count: 9_000)
    let shown = answer(403, "PERMISSION_DENIED", family).shownReason
    #expect(
      shown.utf8.count <= "PERMISSION_DENIED: ".utf8.count + FCM.Limits.shownBytes
        && shown.hasPrefix("PERMISSION_DENIED: "))
  }

  @Test func `words of any length and with any character are shown short and plain`() {
    let long = String(repeating: "x", count: 6_000)
    let body = #"{"error":{"status":"\#(long)","details":[{"fieldViolations":[{"field":"a\u001b\#(long)"}]}]}}"#
    let shown = FCMAnswer(status: 400, body: Array(body.utf8)).shownReason
    #expect(shown.utf8.count <= 202 && shown.hasPrefix("xxx") && shown.contains(#": a\u001bxxx"#), "\(shown)")
  }
}
