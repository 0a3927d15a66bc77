import Testing

@testable import Simulator

/// The channel API's checks, in their order: what is refused first when several things are wrong.
@Suite struct ChannelValidationTests {
  private static let channel = "dHN0LXNyY2gtY2hubA=="
  private static let update = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#

  private func service() throws -> TestService {
    var service = try TestService()
    _ = service.knowledge.channels.create(Self.channel, .production, "com.example.app", policy: 1)
    return service
  }

  private func publish(_ service: TestService) throws -> TestRequest {
    var request = TestRequest(authorization: try service.authorization(), body: Self.update)
    request.headers = [
      (":method", "POST"), (":scheme", "https"), (":path", "/4/broadcasts/apps/com.example.app"),
      (":authority", "api.push.apple.com"), ("authorization", try service.authorization()),
      ("apns-channel-id", Self.channel), ("apns-push-type", "liveactivity"), ("apns-expiration", "1800000600"),
      ("apns-priority", "10"), ("apns-request-id", "123e4567-e89b-12d3-a456-4266554400a0"),
    ]
    return request
  }

  private func reason(
    _ request: TestRequest, _ service: inout TestService, milliseconds: Int64? = nil
  ) -> Reason? {
    let verdict = BroadcastValidation.validate(
      request.request, &service.identity, &service.knowledge, .production,
      nowMilliseconds: milliseconds ?? service.now * 1000)
    if case .failure(let rejection) = verdict { return rejection.reason }
    return nil
  }

  @Test func `a good update is taken`() throws {
    var service = try service()
    #expect(reason(try publish(service), &service) == nil)
  }

  /// Each step mends one fault of a request that has them all, from the first to be refused to the last.
  @Test func `faults are refused in their order`() throws {
    var service = try service()
    let good = try publish(service)
    var bad = good.with("apns-channel-id", nil).with("apns-push-type", nil).with("apns-expiration", "x")
      .with("apns-priority", "1").with("apns-request-id", "x").with("authorization", nil).with(":method", "PUT")
      .with(":path", "/4/broadcasts/apps/com.example.app/x").with(body: "")
    bad = bad.adding(":scheme", "https")
    let mends: [(Reason, String, String?)] = [
      (.badPath, ":path", "/4/broadcasts/apps/com.example.app.push-type.liveactivity"),
      (.topicDisallowed, ":path", "/4/broadcasts/apps/com.example.app"),
      (.methodNotAllowed, ":method", "POST"), (.duplicateHeaders, ":scheme", "https"),
      (.missingProviderToken, "authorization", try service.authorization()),
      (.badMessageID, "apns-request-id", "123e4567-e89b-12d3-a456-4266554400a0"),
      (.missingChannelID, "apns-channel-id", "no base64!"),
      (.badChannelID, "apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA=="),
      (.missingPushType, "apns-push-type", "alert"),
      (.invalidPushType, "apns-push-type", "liveactivity"),
      (.badExpirationDate, "apns-expiration", "1800000600"),
      (.badPriority, "apns-priority", "5"),
    ]
    for (expected, name, value) in mends {
      #expect(reason(bad, &service) == expected)
      bad = bad.with(name, value)
    }
    #expect(reason(bad, &service) == .payloadEmpty)
    bad = bad.with(body: String(repeating: " ", count: Limits.broadcastPayloadBytes + 1))
    #expect(reason(bad, &service) == .payloadTooLarge)
    bad = bad.with(body: #"{"aps":{"timestamp":1,"event":"start"}}"#)
    #expect(reason(bad, &service) == .badRequestPayload)
    bad = bad.with(body: Self.update)
    service.knowledge.channels.withoutCapability = ["com.example.app"]
    #expect(reason(bad, &service) == .featureNotEnabled)
    service.knowledge.channels.withoutCapability = []
    #expect(reason(bad, &service) == .channelNotRegistered)
    bad = bad.with("apns-channel-id", Self.channel)
    #expect(reason(bad, &service) == nil)
  }

  @Test func `a channel that keeps nothing takes only an expiration of 0`() throws {
    var service = try service()
    let request = try publish(service)
    _ = service.knowledge.channels.create("AAAAAAAAAAAAAAAAAAAAAA==", .production, "com.example.app", policy: 0)
    let plain = request.with("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA==")
    #expect(reason(plain, &service) == .badExpirationDate)
    #expect(reason(plain.with("apns-expiration", "0"), &service) == nil)
  }

  @Test func `a second update within a second is too much, and others are not delayed by it`() throws {
    var service = try service()
    let request = try self.publish(service)
    func publish(at time: Int64) -> Reason? {
      let refused = reason(request, &service, milliseconds: time)
      if refused == nil {
        service.knowledge.channels.publish(
          Array(Self.update.utf8), on: Self.channel, .production, "com.example.app", nowMilliseconds: time)
      }
      return refused
    }
    let start = service.now * 1000
    let isKnown = service.knowledge.channels.follow(Self.channel, .production, count: 3)
    #expect(isKnown)
    let answers = [0, 999, 1_000, 2_100].map { publish(at: start + $0) }
    #expect(answers == [nil, .tooManyRequests, nil, nil])
    let report = try #require(service.knowledge.channels.report(Self.channel))
    #expect((report.updates, report.throttled, report.deliveries, report.upToDate) == (3, 1, 9, 3))
  }

  @Test func `a key for other topics speaks for none but these`() throws {
    let provider = TestProvider()
    var service = try TestService(provider: provider)
    service.knowledge.keys.register(try provider.key(topics: ["com.example.other"]))
    #expect(reason(try publish(service), &service) == .topicMismatch)
  }

  // MARK: Management

  private func manage(
    _ method: String, _ place: String, _ service: inout TestService, channel: String? = nil, body: String = ""
  ) throws -> Result<ManagementValidation.Accepted, Rejection> {
    var request = TestRequest(authorization: nil, body: body)
    request.headers = [
      (":method", method), (":scheme", "https"), (":path", "/1/apps/com.example.app/\(place)"),
      (":authority", "api-manage-broadcast.push.apple.com:2196"), ("authorization", try service.authorization()),
    ]
    if let channel { request.headers.append(("apns-channel-id", channel)) }
    // A connection of its own, for each request has another token.
    service.identity = RequestValidation.Identity()
    return ManagementValidation.validate(
      request.request, &service.identity, &service.knowledge, .production, nowSeconds: service.now)
  }

  private func refusal(
    _ method: String, _ place: String, _ service: inout TestService, channel: String? = nil, body: String = ""
  ) throws -> Reason? {
    let verdict = try manage(method, place, &service, channel: channel, body: body)
    if case .failure(let rejection) = verdict { return rejection.reason }
    return nil
  }

  /// As for updates: each step mends one fault, from the first to be refused to the last.
  @Test func `faults of management are refused in their order`() throws {
    let provider = TestProvider()
    var service = try TestService(provider: provider)
    var request = TestRequest(authorization: nil, body: "")
    request.headers = [
      (":method", "PUT"), (":scheme", "https"), (":scheme", "https"), (":path", "/1/apps/com.example.app/other"),
      (":authority", "api-manage-broadcast.push.apple.com:2196"), ("apns-request-id", "x"),
    ]
    func reason() -> Reason? {
      var identity = RequestValidation.Identity()
      let now = service.now
      let verdict = ManagementValidation.validate(
        request.request, &identity, &service.knowledge, .production, nowSeconds: now)
      if case .failure(let rejection) = verdict { return rejection.reason }
      return nil
    }
    service.knowledge.channels.withoutCapability = ["com.example.app"]
    service.knowledge.keys.register(try provider.key(topics: ["com.example.other"]))
    for (expected, name, value) in [
      (Reason.badPath, ":path", "/1/apps/com.example.app.push-type.liveactivity/channels"),
      (.topicDisallowed, ":path", "/1/apps/com.example.app/channels"),
      (.methodNotAllowed, ":method", "GET"), (.duplicateHeaders, ":scheme", "https"),
      (.missingProviderToken, "authorization", try service.authorization()),
    ] {
      #expect(reason() == expected)
      request = request.with(name, value)
    }
    #expect(reason() == .topicMismatch)
    service.knowledge.keys.register(try provider.key())
    #expect(reason() == .badMessageID)
    request = request.with("apns-request-id", "123e4567-e89b-12d3-a456-4266554400a0")
    #expect(reason() == .featureNotEnabled)
    service.knowledge.channels.withoutCapability = []
    #expect(reason() == .missingChannelID)
    request = request.with("apns-channel-id", "no base64!")
    #expect(reason() == .badChannelID)
    request = request.with("apns-channel-id", Self.channel)
    #expect(reason() == .channelNotRegistered)
    _ = service.knowledge.channels.create(Self.channel, .production, "com.example.app", policy: 1)
    #expect(reason() == nil)
  }

  @Test func `channels are made with a policy for Live Activities and nothing else`() throws {
    var service = try service()
    let good = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    #expect(
      try manage("POST", "channels", &service, body: good).get() == .create(bundle: "com.example.app", policy: 1))
    for (body, expected) in [
      ("", Reason.payloadEmpty), ("[]", .badRequestPayload), (#"{"message-storage-policy":1}"#, .missingPushType),
      (#"{"message-storage-policy":1,"push-type":"alert"}"#, .invalidPushType),
      (#"{"push-type":"LiveActivity"}"#, .missingChannelQueueSize),
      (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .missingChannelQueueSize),
    ] {
      #expect(try refusal("POST", "channels", &service, body: body) == expected, "\(body)")
    }
  }

  @Test func `what is unknown is refused, a deletion as if the path were wrong`() throws {
    var service = try service()
    #expect(try refusal("GET", "channels", &service) == .missingChannelID)
    #expect(try refusal("GET", "channels", &service, channel: "AAAA") == .channelNotRegistered)
    #expect(try refusal("DELETE", "channels", &service, channel: "AAAA") == .badPath)
    #expect(try refusal("DELETE", "channels", &service, channel: Self.channel) == nil)
    #expect(try refusal("PUT", "channels", &service) == .methodNotAllowed)
    #expect(try refusal("POST", "all-channels", &service) == .methodNotAllowed)
    #expect(try refusal("GET", "all-channels", &service) == nil)
    #expect(try refusal("GET", "other", &service) == .badPath)
  }

  @Test func `an app has so many channels in an environment`() {
    var registry = ChannelRegistry()
    for number in 0..<Limits.channels {
      _ = registry.create("c\(number)", .production, "a", policy: 0)
    }
    let more = registry.create("one more", .production, "a", policy: 0)
    let elsewhere = registry.create("one more", .sandbox, "a", policy: 0)
    #expect(!more && elsewhere)
  }
}
