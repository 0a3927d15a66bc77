import Testing

@testable import Simulator

@Suite struct `Request validation` {
  @Test func `a good request is accepted`() throws {
    var service = try TestService()
    #expect(service.reason(try service.good()) == nil)
  }

  @Test func `a request with several faults gets the answer of the first rule`() throws {
    var service = try TestService()
    // Each step repairs the fault that was found, and the next one comes to light.
    var request = TestRequest(authorization: nil, token: "zz", body: "").with(":path", "/4/device/zz")
      .with(":method", "GET").adding("apns-topic", "again").with("apns-priority", "7").with("apns-push-type", "x")
      .with("apns-collapse-id", String(repeating: "c", count: 65)).with("apns-expiration", "soon")
      .with("apns-id", "1")
    var found: [Reason?] = []
    let repairs: [(inout TestRequest) throws -> Void] = [
      { $0 = $0.with(":path", "/3/device/zz") },
      { $0 = $0.with(":method", "POST") },
      { $0 = $0.with("apns-topic", nil) },
      { $0 = $0.with("authorization", try service.authorization()) },
      { $0 = $0.with("apns-id", nil) },
      { $0 = $0.with("apns-expiration", "1") },
      { $0 = $0.with("apns-priority", "5") },
      { $0 = $0.with("apns-collapse-id", nil) },
      { $0 = $0.with("apns-push-type", "voip") },
      { $0 = $0.with("apns-topic", "com.example.app") },
      { $0 = $0.with("apns-topic", "com.example.app.voip") },
      { $0 = $0.with(body: String(repeating: " ", count: 5121)) },
      { $0 = $0.with(body: "{}") },
      { $0 = $0.with(":path", "/3/device/" + TestRequest.token) },
    ]
    for repair in repairs {
      var copy = service
      found.append(copy.reason(request))
      try repair(&request)
    }
    #expect(
      found == [
        .badPath, .methodNotAllowed, .duplicateHeaders, .missingProviderToken, .badMessageID, .badExpirationDate,
        .badPriority, .badCollapseID, .invalidPushType, .missingTopic, .badTopic, .payloadEmpty, .payloadTooLarge,
        .badDeviceToken,
      ])
    #expect(service.reason(request) == nil)
  }

  @Test func `a bad provider token is answered before a bad device token`() throws {
    var service = try TestService()
    #expect(service.reason(TestRequest(authorization: "bearer x.y.z", token: "zz")) == .invalidProviderToken)
  }

  @Test func `on a connection with certificate the authorization header is ignored`() throws {
    var service = try TestService()
    service.identity.certificate = ClientCertificate(
      topics: ["com.example.app", "com.example.app.voip"], environments: [.production])
    let request = try service.good()
    #expect(service.reason(request.with("authorization", "bearer nonsense")) == nil)
    #expect(service.reason(request.with("authorization", nil)) == nil)
    #expect(service.reason(request.with("apns-topic", nil)) == .missingTopic)
    #expect(service.reason(request.with("apns-topic", "com.example.other")) == .topicDisallowed)
    service.environment = .sandbox
    #expect(service.reason(request) == .badCertificateEnvironment)
  }

  @Test func `a certificate with one topic needs none in the request`() throws {
    var service = try TestService()
    service.identity.certificate = ClientCertificate(topics: ["com.example.app"], environments: [.production])
    service.knowledge.tokens.register(
      try #require(DeviceToken(TestRequest.token)), environment: .production, topic: "com.example.other")
    let request = try service.good().with("apns-topic", nil)
    #expect(service.reason(request) == .deviceTokenNotForTopic)
    #expect(service.reason(request.with(":path", "/3/device/0123")) == nil)
    #expect(service.reason(request.with("apns-push-type", "location")) == .invalidPushType)
  }
}
