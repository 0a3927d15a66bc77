import Testing

@testable import Simulator

@Suite struct `Topic rules` {
  /// The topic that each push type demands of com.example.app.
  static let topics: [(PushType, String)] = [
    (.alert, "com.example.app"), (.background, "com.example.app"), (.voip, "com.example.app.voip"),
    (.liveactivity, "com.example.app.push-type.liveactivity"), (.location, "com.example.app.location-query"),
    (.pushtotalk, "com.example.app.voip-ptt"), (.complication, "com.example.app.complication"),
    (.fileprovider, "com.example.app.pushkit.fileprovider"), (.widgets, "com.example.app.push-type.widgets"),
    (.controls, "com.example.app.push-type.controls"), (.mdm, "com.apple.mgmt.External.0123"),
  ]

  private func bundle(_ topic: String, _ type: PushType?) -> String? {
    let bytes = Array(topic.utf8)
    return TopicRules.bundleID(of: bytes.span, type)
  }

  @Test func `each push type takes its own topic and no other's`() {
    for (type, own) in Self.topics {
      for (other, topic) in Self.topics {
        // alert and background share the bare bundle identifier; an MDM topic looks like one.
        let isBare = type.topicSuffix == nil && type != .mdm && other.topicSuffix == nil
        #expect((bundle(topic, type) != nil) == (topic == own || isBare), "\(type) with \(topic)")
      }
    }
    #expect(Self.topics.count == PushType.allCases.count)
  }

  @Test func `the bundle identifier is what stands before the suffix`() {
    #expect(bundle("com.example.app.voip", .voip) == "com.example.app")
    #expect(bundle("com.example.app.voip", nil) == "com.example.app")
    #expect(bundle("com.example.app", .alert) == "com.example.app")
  }

  @Test(arguments: ["", "com.example.app ", "com.example/app", "com.example.app\u{e9}", "com_example", ".voip"])
  func `a malformed topic is bad`(topic: String) {
    #expect(bundle(topic, nil) == nil)
  }

  @Test func `a topic of 255 bytes passes, one of 256 does not`() {
    #expect(bundle(String(repeating: "a", count: 255), .alert) != nil)
    #expect(bundle(String(repeating: "a", count: 256), .alert) == nil)
  }

  @Test func `a key may push only to its own topics, with every suffix`() throws {
    var service = try TestService()
    service.knowledge.keys.register(try service.provider.key(topics: ["com.example.app"]))
    let request = try service.good()
    #expect(service.reason(request) == nil)
    #expect(
      service.reason(request.with("apns-push-type", "voip").with("apns-topic", "com.example.app.voip")) == nil)
    #expect(service.reason(request.with("apns-topic", "com.example.other")) == .topicDisallowed)
    #expect(service.reason(request.with("apns-topic", nil)) == .missingTopic)
    #expect(service.reason(request.with("apns-topic", "com.example.app.voip")) == .badTopic)
    #expect(service.reason(request) == nil)
  }

  @Test func `a topic that was proven for one push type is not proven for another`() throws {
    var service = try TestService()
    let request = try service.good()
    #expect(service.reason(request) == nil)
    #expect(service.reason(request.with("apns-push-type", "voip")) == .badTopic)
  }
}
