import Testing

@testable import Simulator

@Suite struct `Token rules` {
  static let other = String(repeating: "cd", count: 32)

  @Test(arguments: [
    ("ab", true), (String(repeating: "a", count: 64), true), (String(repeating: "AB", count: 80), true),
    (String(repeating: "a", count: 400), true), (String(repeating: "a", count: 402), false),
    (String(repeating: "a", count: 63), false), ("xy", false), ("a", false), ("ab?x=1", false), ("%61%62", false),
  ])
  func `a token is an even number of hexadecimal digits`(token: String, isGood: Bool) throws {
    var service = try TestService()
    let request = TestRequest(authorization: try service.authorization(), token: token)
    #expect(service.reason(request) == (isGood ? nil : .badDeviceToken))
  }

  @Test func `a token of one environment is bad in the other`() throws {
    var service = try TestService()
    let request = try service.good()
    service.knowledge.tokens.register(try #require(DeviceToken(TestRequest.token)), environment: .sandbox)
    #expect(service.reason(request) == .badDeviceToken)
    service.environment = .sandbox
    #expect(service.reason(request) == nil)
  }

  @Test func `a token of another app is not for this topic`() throws {
    var service = try TestService()
    let request = try service.good()
    let token = try #require(DeviceToken(TestRequest.token))
    service.knowledge.tokens.register(token, environment: .production, topic: "com.example.other")
    #expect(service.reason(request) == .deviceTokenNotForTopic)
    service.knowledge.tokens.register(token, environment: .production, topic: "com.example.app")
    #expect(service.reason(request) == nil)
  }

  @Test func `a dead token is answered with the time of its death`() throws {
    var service = try TestService()
    let request = try service.good()
    let token = try #require(DeviceToken(TestRequest.token))
    service.knowledge.tokens.register(token, environment: .production, state: .unregistered(since: 1_700_000_000_123))
    #expect(service.rejection(request) == Rejection(.unregistered, timestampMilliseconds: 1_700_000_000_123))
    service.knowledge.tokens.register(token, environment: .production, state: .expired(since: 5))
    #expect(service.rejection(request) == Rejection(.expiredToken, timestampMilliseconds: 5))
    service.knowledge.tokens.register(token, environment: .production)
    #expect(service.reason(request) == nil)
  }

  @Test func `unregistered tokens are refused when told so, and registered ones are not`() throws {
    var service = try TestService()
    service.knowledge.tokens.unregisteredTokens = .refused
    service.knowledge.tokens.register(try #require(DeviceToken(Self.other)), environment: .production)
    let authorization = try service.authorization()
    #expect(service.reason(TestRequest(authorization: authorization)) == .badDeviceToken)
    #expect(service.reason(TestRequest(authorization: authorization, token: Self.other)) == nil)
  }

  @Test func `upper and lower case are one token`() throws {
    var service = try TestService()
    let authorization = try service.authorization()
    #expect(service.reason(TestRequest(authorization: authorization, token: Self.other)) == nil)
    #expect(service.reason(TestRequest(authorization: authorization, token: Self.other.uppercased())) == nil)
    #expect(service.knowledge.tokens.count == 1)
  }
}
