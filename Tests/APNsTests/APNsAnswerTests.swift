import APNs
import Testing
import Time

@Suite struct APNsAnswerTests {
  @Test func `every documented reason has its status and an action`() {
    for reason in APNsReason.allCases {
      let answer = APNsAnswer(status: reason.status, body: Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8))
      #expect(answer.reason == reason && answer.action == reason.action)
    }
    #expect(APNsReason.allCases.count == 41)
  }

  /// Apple's table, line by line, with what it asks of us.
  private static let table: [(Int, String, APNsReason.Action)] = [
    (400, "BadCollapseId", .refuseMessage), (400, "BadDeviceToken", .refuseToken),
    (400, "BadExpirationDate", .refuseMessage), (400, "BadMessageId", .refuseMessage),
    (400, "BadPriority", .refuseMessage), (400, "BadTopic", .pauseApp), (400, "DeviceTokenNotForTopic", .refuseToken),
    (400, "DuplicateHeaders", .refuseMessage), (400, "IdleTimeout", .retryOnNewConnection),
    (400, "InvalidPushType", .refuseMessage), (400, "MissingDeviceToken", .refuseMessage),
    (400, "MissingTopic", .pauseApp), (400, "PayloadEmpty", .refuseMessage), (400, "TopicDisallowed", .refuseMessage),
    (403, "BadCertificate", .pauseApp), (403, "BadCertificateEnvironment", .otherEnvironment),
    (403, "BadEnvironmentKeyIdInToken", .otherEnvironment), (403, "BadEnvironmentKeyInToken", .otherEnvironment),
    (403, "ExpiredProviderToken", .renewProviderToken), (403, "Forbidden", .pauseApp),
    (403, "InvalidProviderToken", .retryOnceThenPause), (403, "MissingProviderToken", .pauseApp),
    (403, "UnrelatedKeyIdInToken", .retryOnNewConnection), (404, "BadPath", .refuseMessage),
    (405, "MethodNotAllowed", .refuseMessage), (410, "ExpiredToken", .retireToken), (410, "Unregistered", .retireToken),
    (413, "PayloadTooLarge", .refuseMessage), (429, "TooManyProviderTokenUpdates", .keepProviderToken),
    (429, "TooManyRequests", .retryDevice), (500, "InternalServerError", .retryLater),
    (503, "ServiceUnavailable", .retryLater), (503, "Shutdown", .retryOnNewConnection),
    // Of broadcast channels.
    (400, "BadChannelId", .refuseMessage), (400, "BadRequestParams", .refuseMessage),
    (400, "BadRequestPayload", .refuseMessage), (400, "ChannelNotRegistered", .refuseMessage),
    (400, "FeatureNotEnabled", .refuseMessage), (400, "MissingChannelId", .refuseMessage),
    (400, "MissingPushType", .refuseMessage), (403, "TopicMismatch", .refuseMessage),
  ]

  @Test func `each of Apple's reasons asks of us what the table says`() {
    #expect(Set(Self.table.map(\.1)) == Set(APNsReason.allCases.map(\.rawValue)))
    for (status, reason, action) in Self.table {
      let answer = APNsAnswer(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
      #expect(answer.reason?.status == status && answer.action == action, "\(reason)")
    }
  }

  @Test func `only two reasons say that a token was good once, and none of them but these drops a device`() {
    let retiring = APNsReason.allCases.filter { $0.action == .retireToken }
    #expect(retiring == [.expiredToken, .unregistered])
    let refusing = APNsReason.allCases.filter { $0.action == .refuseToken }
    #expect(refusing == [.badDeviceToken, .deviceTokenNotForTopic])
  }

  @Test func `a 410 with a time and an unknown word costs no token`() {
    let unknown = APNsAnswer(status: 410, body: Array(#"{"timestamp":1767225600123,"reason":"Novelty"}"#.utf8))
    #expect(unknown.action == .refuseMessage)
    let wordless = APNsAnswer(status: 410, body: Array(#"{"timestamp":1767225600123}"#.utf8))
    #expect(wordless.action == .retireToken)
  }

  @Test func `a 410 carries its timestamp`() {
    let answer = APNsAnswer(status: 410, body: Array(#"{"timestamp":1767225600123,"reason":"Unregistered"}"#.utf8))
    #expect(answer.timestamp == Timestamp(milliseconds: 1_767_225_600_123) && answer.reason == .unregistered)
  }

  @Test(arguments: [Int64(-1), -999_999_999_999_999_999])
  func `a time before 1970 is no time`(milliseconds: Int64) {
    let answer = APNsAnswer(
      status: 410, body: Array(#"{"reason":"Unregistered","timestamp":\#(milliseconds)}"#.utf8))
    #expect(answer.timestamp == nil && answer.action == .retireToken)
  }

  @Test(arguments: [
    (403, APNsReason.Action.pauseApp), (429, .retryDevice), (500, .retryLater), (503, .retryLater), (599, .retryLater),
    (400, .refuseMessage), (404, .refuseMessage), (410, .refuseMessage), (418, .refuseMessage),
  ])
  func `an unknown reason is judged by its status, and never costs a token`(_ status: Int, _ action: APNsReason.Action)
  {
    #expect(APNsAnswer(status: status, body: Array(#"{"reason":"Novelty"}"#.utf8)).action == action)
    #expect(APNsAnswer(status: status, body: []).action == action)
  }

  @Test(arguments: ["", "{", "null", "[]", "<html>", #"{"reason":7}"#, "\u{0}", #"{"reason""#])
  func `bodies that are no JSON are no reason`(_ body: String) {
    let answer = APNsAnswer(status: 400, body: Array(body.utf8))
    #expect(answer.reasonText == "" && answer.shownReason == "status 400")
  }

  @Test func `what can be read before a mistake in the text counts`() {
    #expect(APNsAnswer.reason(in: Array(#"{"reason":"Shutdown","x":}"#.utf8)) == "Shutdown")
    #expect(APNsAnswer.reason(in: Array("Maximum active streams violated for this endpoint.".utf8)) == "")
  }

  @Test func `a word of any length and with any character is shown short and plain`() {
    let long = String(repeating: "x", count: 6_000)
    for (word, shown) in [(long, String(repeating: "x", count: 100)), (#"Bad\u001b\nToken"#, #"Bad\u001b\u000aToken"#)]
    {
      #expect(APNsAnswer(status: 400, body: Array(#"{"reason":"\#(word)"}"#.utf8)).shownReason == shown)
    }
  }
}
